// vitest: benchmarks inside and outside of groups.
import { bench, describe } from 'vitest';
import { words } from '../src/words.js';

const line = 'The quick brown fox jumps over the lazy dog, and the dog does not mind. ';

describe('words', () => {
  describe('of a page', () => {
    const page = line.repeat(40);
    bench('count', () => {
      words(page);
    });
  });

  bench('count', () => {
    words(line);
  });

  bench.skip('not yet', () => {});
});

bench('nothing', () => {
  words('');
});
