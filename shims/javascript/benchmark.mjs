// Benchmark.js 1 and 2. A sample of its is a batch of `count` calls that takes at least `minTime`, so a sample is an
// iteration. It keeps them in the order in which they were measured.

const patched = new WeakSet();

export function patchBenchmark(Benchmark, shim) {
  const isLibrary = typeof Benchmark === 'function' && Benchmark.Suite && Benchmark.prototype?.run;
  if (!isLibrary || patched.has(Benchmark)) return;
  patched.add(Benchmark);
  const suites = new WeakMap();
  const runSuite = Benchmark.Suite.prototype.run;
  Benchmark.Suite.prototype.run = function (options) {
    for (let i = 0; i < this.length; i++) if (this[i]) suites.set(this[i], this);
    return runSuite.call(this, options);
  };
  const run = Benchmark.prototype.run;
  Benchmark.prototype.run = function (options) {
    // The library runs clones of a benchmark to take its samples.
    if (this._original) return run.call(this, options);
    const own = this.name || (Number.isNaN(Number(this.id)) ? this.id : `<Test #${this.id}>`);
    const name = shim.nameOf(this, suites.get(this)?.name, own);
    if (!shim.isWanted(name)) return pretend(this, options);
    prepare(this, shim);
    return run.call(this, options);
  };
  const inContext = Benchmark.runInContext;
  if (typeof inContext === 'function') {
    Benchmark.runInContext = function (context) {
      const other = inContext.call(this, context);
      patchBenchmark(other, shim);
      return other;
    };
  }
}

/** Sets the benchmark's length and tells its samples as they come. */
function prepare(bench, shim) {
  shim.hasRun = true;
  const total = shim.warmups + shim.iterations;
  // It ends as soon as it has `minSamples` and more than `maxTime` has passed. `reset` takes values from the options.
  const length = { minSamples: total, minTime: shim.iterationSeconds, maxTime: -1 };
  Object.assign(bench, length);
  Object.assign(bench.options, length);
  let told = 0;
  let count = 0;
  const tellNew = () => {
    const { sample } = bench.stats;
    for (; told < sample.length && told < total; told++) shim.sample(sample[told], count, told < shim.warmups);
  };
  // A sample is added after the last cycle of its clone. Each cycle leaves its count for the next one to begin with.
  bench.on('cycle', () => {
    tellNew();
    count = bench.initCount;
  });
  bench.on('complete', () => {
    tellNew();
    if (told < total) shim.error(bench.error ?? 'it was aborted');
    shim.end(told < total ? 1 : 0);
  });
}

/** Completes a benchmark that is not to run, as if each call had taken a second: whoever waits for it goes on. */
function pretend(bench, options) {
  Object.assign(bench, { cycles: 1, hz: 1, count: 1, running: false });
  const zeros = { deviation: 0, moe: 0, rme: 0, sem: 0, variance: 0 };
  Object.assign(bench.stats, zeros, { mean: 1, sample: [1] });
  Object.assign(bench.times, { cycle: 1, elapsed: 1, period: 1 });
  const complete = () => bench.emit('complete');
  const isAsync = (options?.async ?? bench.options?.async) || bench.defer;
  if (isAsync) setImmediate(complete);
  else complete();
  return bench;
}
