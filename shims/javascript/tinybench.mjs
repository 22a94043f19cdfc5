// tinybench 2 to 6. It times every single call and sorts the times, so that neither one call nor a part of the sorted list
// could be an iteration. Instead a task is run once per iteration, each time for the length of an iteration, and the mean of
// its calls is told with their number. Nothing needs to be retained for that, whatever `retainSamples` says.

const patched = new WeakSet();
const owners = new WeakMap();

export function patchTinybench(exports, shim) {
  if (exports?.Bench?.prototype) patchBench(exports.Bench.prototype, shim);
  if (exports?.Task?.prototype) patchTask(exports.Task.prototype, shim);
}

function patchBench(prototype, shim) {
  if (patched.has(prototype)) return;
  patched.add(prototype);
  for (const method of ['run', 'runSync', 'warmup', 'warmupSync']) {
    const original = prototype[method];
    if (typeof original !== 'function') continue;
    prototype[method] = function (...args) {
      for (const task of this.tasks) {
        owners.set(task, this);
        patchTask(Object.getPrototypeOf(task), shim);
      }
      return original.apply(this, args);
    };
  }
}

function patchTask(prototype, shim) {
  if (patched.has(prototype)) return;
  patched.add(prototype);
  const { run, runSync } = prototype;
  prototype.run = async function () {
    if (!isWanted(this, shim)) return pretend(this);
    const batches = begin(this, shim);
    try {
      for (let i = 0; i < batches.total; i++) {
        batches.reset();
        await run.call(this);
        if (!batches.tell(i)) break;
      }
    } catch (error) {
      batches.fail(error);
    }
    return batches.end();
  };
  if (runSync) {
    prototype.runSync = function () {
      if (!isWanted(this, shim)) return pretend(this);
      const batches = begin(this, shim);
      try {
        for (let i = 0; i < batches.total; i++) {
          batches.reset();
          runSync.call(this);
          if (!batches.tell(i)) break;
        }
      } catch (error) {
        batches.fail(error);
      }
      return batches.end();
    };
  }
  // Warming up is measuring whose values are marked.
  if (prototype.warmup) prototype.warmup = async function () {};
  if (prototype.warmupSync) prototype.warmupSync = function () {};
}

function isWanted(task, shim) {
  const group = owners.get(task)?.name ?? task.bench?.name;
  return shim.isWanted(shim.nameOf(task, group, task.name));
}

/** The runs of one task that are its iterations. */
function begin(task, shim) {
  shim.hasRun = true;
  setLength(owners.get(task) ?? task.bench, shim.iterationSeconds * 1000);
  let failure = null;
  return {
    total: shim.warmups + shim.iterations,
    /** A task runs only once unless it is reset. */
    reset: () => task.reset(false),
    /** Tells the run that just ended; false if there is nothing to tell. */
    tell(i) {
      const result = task.result ?? {};
      failure = result.error ?? null;
      const times = result.latency ?? result;
      // vitest empties the list of samples as soon as a task is complete.
      const calls = times.samplesCount || times.samples?.length || task.runs;
      if (failure === null && !(times.mean >= 0 && calls > 0)) failure = `it has no times (state ${result.state})`;
      // From milliseconds.
      if (failure === null) shim.sample(times.mean / 1000, calls, i < shim.warmups);
      return failure === null;
    },
    fail(error) {
      failure = error ?? 'it threw nothing';
    },
    /** Ends the process, unless the library is run by something that wants to end by itself. */
    end() {
      if (failure !== null) shim.error(failure);
      if (shim.assumedName === null) shim.end(failure === null ? 0 : 1);
      return task;
    },
  };
}

/** How long a run takes: fields of the bench, or of its options. One call is enough where that takes longer. */
function setLength(bench, milliseconds) {
  for (const target of [bench, bench?.opts, bench?.options]) {
    if (target && typeof target === 'object' && 'time' in target) {
      target.time = milliseconds;
      target.iterations = 1;
    }
  }
}

/** Gives a task that is not to run a result, as if each call had taken a second: scripts print tables of results. */
function pretend(task) {
  const zeros = { aad: 0, critical: 0, df: 0, mad: 0, moe: 0, rme: 0, sd: 0, sem: 0, variance: 0 };
  const ones = { max: 1, mean: 1, min: 1, p50: 1, p75: 1, p99: 1, p995: 1, p999: 1 };
  const statistics = { ...zeros, ...ones, samples: [1], samplesCount: 1 };
  const result = {
    ...statistics,
    hz: 1,
    latency: statistics,
    period: 1,
    runtime: 'node',
    runtimeVersion: process.version,
    state: 'completed',
    throughput: statistics,
    totalTime: 1,
  };
  Object.defineProperty(task, 'result', { value: result, configurable: true, writable: true });
  return task;
}
