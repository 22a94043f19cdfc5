'use strict';

/** How often each word occurs. */
function words(text) {
  const counts = new Map();
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

module.exports = { words };
