// Benchmark.js: two suites, the second of which is made when the first is complete, and one benchmark on its own.
'use strict';

const Benchmark = require('benchmark');
const { Cache } = require('..');

const cache = new Cache(100);
for (let i = 0; i < 100; i++) cache.set(`key ${i}`, i);

new Benchmark.Suite('cache')
  .add('get', () => cache.get('key 50'))
  .add('get missing', () => cache.get('no such key'))
  .on('cycle', (event) => console.log(String(event.target)))
  .on('complete', function () {
    console.log(`fastest: ${this.filter('fastest').map('name')}`);
    second();
  })
  .run({ async: true });

function second() {
  new Benchmark.Suite()
    .add('set', () => cache.set('key 50', 1))
    .add('set', () => cache.set('another key', 1))
    .add('deferred', {
      defer: true,
      fn: (deferred) => Promise.resolve(cache.get('key 1')).then(() => deferred.resolve()),
    })
    .on('complete', () => {
      new Benchmark('alone', () => new Cache(10)).run();
    })
    .run();
}
