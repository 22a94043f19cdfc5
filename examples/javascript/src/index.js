'use strict';

module.exports = {
  Cache: require('./cache').Cache,
  distance: require('./distance').distance,
  words: require('./words').words,
};
