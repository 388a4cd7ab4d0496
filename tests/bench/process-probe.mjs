// This module is loaded into the benchmark's servers with --import. It reports live memory, without memory that is free but
// not yet returned to the system, and the longest turn of the event loop since the last question.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { writeHeapSnapshot } from 'node:v8';

// A turn delays the next tick of a timer, whose interval of 1 ms is a part of what is measured.
const turns = monitorEventLoopDelay({ resolution: 1 });

process.on('message', ({ ask, file }) => {
  if (ask === 'turn') {
    process.send({ milliseconds: turns.enable() ? 0 : turns.max / 1e6 });
    turns.reset();
    return;
  }
  if (ask === 'snapshot') {
    process.send({ file: writeHeapSnapshot(file) });
    return;
  }
  globalThis.gc();
  // The second collection frees memory that finalizers of the first one released.
  setTimeout(() => {
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    process.send({ bytes: heapUsed + external });
  }, 100);
});
// The channel to the benchmark does not keep the process alive.
process.channel?.unref();
