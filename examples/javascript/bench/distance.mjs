// tinybench: a bench with a name and one without, functions and promises, a synchronous run.
import { Bench } from 'tinybench';
import shelf from '../src/index.js';

const { distance } = shelf;

if (typeof globalThis.gc !== 'function') throw new Error('start with --expose-gc, as package.json does');

const bench = new Bench({ name: 'distance', time: 100 });
bench
  .add('short words', () => distance('bench', 'wright'))
  .add('long words', () => distance('characteristically', 'uncharacteristic'))
  .add('same words', async () => distance('continuous', 'continuous'), { beforeAll() {}, afterAll() {} });
await bench.run();
console.table(bench.table());

const other = new Bench({ time: 100 });
other.add('short words', () => distance('a', 'b'));
other.runSync();
console.table(other.table());
