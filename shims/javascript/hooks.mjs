// Has modules of benchmark libraries hand over what they export as soon as they are loaded. A module may import itself, so
// two lines at its end are enough, and whoever imports it, by whatever path and in whatever version, gets the patched one.

const CALL = 'globalThis[Symbol.for("benchwright.shim")]';

/** For `module.register`: on a thread of its own. */
export async function load(url, context, nextLoad) {
  return extended(url, await nextLoad(url, context));
}

/** For `module.registerHooks`. */
export function loadSync(url, context, nextLoad) {
  return extended(url, nextLoad(url, context));
}

function extended(url, result) {
  if (result.format !== 'module' || result.source == null) return result;
  if (url.includes('/node_modules/tinybench/')) {
    const self = JSON.stringify(url);
    return withEnd(result, `import * as benchwrightSelf from ${self};\n${CALL}?.loaded(${self}, benchwrightSelf);`);
  }
  if (url.includes('/node_modules/vitest/dist/')) {
    const source = text(result.source);
    if (/\bclass NodeBenchmarkRunner\b/.test(source)) return withEnd(result, `${CALL}?.vitest(NodeBenchmarkRunner);`);
  }
  return result;
}

function withEnd(result, end) {
  return { ...result, source: `${text(result.source)}\n${end}\n` };
}

function text(source) {
  return typeof source === 'string' ? source : Buffer.from(source).toString('utf8');
}
