// Preloaded into node (`--import`) before a benchmark script starts. It watches the benchmark libraries being loaded and
// changes two things about them: which benchmarks run, and that every timed batch is told on standard output, one line each
// (docs/guide/shim-protocol.md). The project's own files are not touched.
//
// Settings come in the variable BENCHWRIGHT_SHIM, as JSON:
//   mode              "list" (name the benchmarks, run none) or "run" (run exactly one)
//   benchmark         the name of that one
//   script            absolute path of the benchmark file (vitest)
//   iterations        how many timed batches to measure
//   iterationSeconds  how long one batch takes
//   warmups           batches before those, told with "warmup": true

import { writeSync } from 'node:fs';
import Module from 'node:module';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import { loadSync } from './hooks.mjs';
import { patchBenchmark } from './benchmark.mjs';
import { patchTinybench } from './tinybench.mjs';
import { patchVitest } from './vitest.mjs';

const settings = JSON.parse(process.env.BENCHWRIGHT_SHIM ?? 'null');

/** On which workers tell the main thread that the benchmark is done. */
const CHANNEL = 'benchwright.shim';

/** What the patches share: the settings, names, and a way to tell. */
class Shim {
  constructor() {
    Object.assign(this, settings);
    this.isList = settings.mode === 'list';
    this.seen = new Map();
    this.names = new WeakMap();
    /** The name under which whatever runs now is told, where the library does not know it (vitest). */
    this.assumedName = null;
    this.hasRun = false;
  }

  /** The name of a benchmark object, the same however often it is asked for; a name used twice gets a number. */
  nameOf(object, group, name) {
    if (this.assumedName !== null) return this.assumedName;
    if (!this.names.has(object)) {
      // Some give a bench for a single task the task's name.
      const plain = group && group !== name ? `${group}/${name}` : String(name);
      const count = (this.seen.get(plain) ?? 0) + 1;
      this.seen.set(plain, count);
      const unique = count === 1 ? plain : `${plain}#${count}`;
      this.names.set(object, unique);
      if (this.isList) this.tell({ benchmark: unique });
    }
    return this.names.get(object);
  }

  /** Whether the benchmark of this name is the one to run. */
  isWanted(name) {
    return !this.isList && !this.hasRun && name === this.benchmark;
  }

  /** Tells one batch. */
  sample(seconds, operations, isWarmup) {
    this.tell({ sample: { benchmark: this.benchmark, seconds, operations, warmup: isWarmup } });
  }

  /** Tells why the benchmark has no values. */
  error(error) {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.tell({ error: { benchmark: this.benchmark, message } });
    if (error instanceof Error && error.stack) writeAll(2, `${error.stack}\n`);
  }

  /** One line of the protocol. It begins on a line of its own, whatever the program printed before. */
  tell(fact) {
    writeAll(1, `\n##benchwright ${JSON.stringify(fact)}\n`);
  }

  /** Ends the process: what a script does after its benchmarks (tables, files, other benchmarks) is of no use here. */
  end(status) {
    // In a worker, `exit` ends the thread alone.
    if (!isMainThread) new BroadcastChannel(CHANNEL).postMessage(status);
    process.exit(status);
  }
}

/** Writes all of it at once, past the program's own buffers and past whoever has replaced `process.stdout`. */
function writeAll(descriptor, text) {
  const bytes = Buffer.from(text);
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      // A pipe that is full for a moment.
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function start() {
  const shim = new Shim();
  const key = Symbol.for('benchwright.shim');
  globalThis[key] = {
    /** Called with everything a module of a benchmark library exports. */
    loaded(path, exports) {
      if (/[\\/]node_modules[\\/]benchmark[\\/]/.test(path)) patchBenchmark(exports?.default ?? exports, shim);
      if (/[\\/]node_modules[\\/]tinybench[\\/]/.test(path)) patchTinybench(exports, shim);
    },
    /** Called with vitest's class that runs benchmark files. */
    vitest(runner) {
      patchVitest(runner, shim);
    },
  };
  if (isMainThread) {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }) => process.exit(data);
    channel.unref();
  }
  // Required modules; also those that `import` loads as CommonJS.
  const load = Module.prototype.load;
  Module.prototype.load = function (path) {
    const result = load.call(this, path);
    globalThis[key].loaded(path, this.exports);
    return result;
  };
  // Without a thread of its own where node can do that (22.15 and newer).
  if (Module.registerHooks) Module.registerHooks({ load: loadSync });
  else Module.register('./hooks.mjs', import.meta.url);
}

if (settings) start();
