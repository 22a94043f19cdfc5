// vitest 1 to 4. Its class for benchmark files is handed the tasks of a whole file; tinybench measures them.

const patched = new WeakSet();

export function patchVitest(runner, shim) {
  const { prototype } = runner;
  if (patched.has(prototype) || typeof prototype.runSuite !== 'function') return;
  patched.add(prototype);
  const { runSuite } = prototype;
  prototype.runSuite = async function (file) {
    // vitest takes files by parts of their paths.
    const isOurs = !file.filepath || file.filepath === shim.script;
    for (const task of benchmarks(file)) {
      const name = isOurs ? shim.nameOf(task, groupOf(task, file), task.name) : null;
      if (shim.isWanted(name)) shim.isFound = true;
      else task.mode = 'skip';
    }
    if (!shim.isFound) return undefined;
    // tinybench knows a task's own name alone.
    shim.assumedName = shim.benchmark;
    return runSuite.call(this, file);
  };
}

/** The benchmarks below a suite that are not skipped, in order. */
function* benchmarks(suite) {
  for (const task of suite.tasks ?? []) {
    if (task.mode !== 'run' && task.mode !== 'queued') continue;
    if (task.meta?.benchmark) yield task;
    else if (task.tasks) yield* benchmarks(task);
  }
}

/** The names of the suites around a benchmark, outermost first. */
function groupOf(task, file) {
  const names = [];
  for (let suite = task.suite; suite && suite !== file; suite = suite.suite) {
    if (suite.name) names.unshift(suite.name);
  }
  return names.join('/');
}
