/** Browser features that jsdom lacks and that the data grid, the router and Apollo Client need. */
const { TextDecoder, TextEncoder } = require('node:util');
const { ReadableStream, TransformStream, WritableStream } = require('node:stream/web');

class ResizeObserverStub {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** The part of the request API that the router uses: it creates a request for every navigation. */
class RequestStub {
  constructor(url, { method = 'GET', signal } = {}) {
    Object.assign(this, { url: String(url), method, signal });
  }
}

const missing = {
  TextDecoder,
  TextEncoder,
  ReadableStream,
  TransformStream,
  WritableStream,
  ResizeObserver: ResizeObserverStub,
  IntersectionObserver: ResizeObserverStub,
  Request: RequestStub,
  structuredClone: (value) => require('node:v8').deserialize(require('node:v8').serialize(value)),
  matchMedia: (query) => ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
    dispatchEvent: () => false,
  }),
};

for (const [name, value] of Object.entries(missing)) {
  if (globalThis[name] === undefined) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
}

// A grid takes a second to render when many tests share two cores, so waiting may take as long as a test may.
require('@testing-library/dom').configure({ asyncUtilTimeout: 10_000 });

// jsdom compares every element with every style rule whenever a role is looked up, which took three quarters of the time
// of these tests. Rules that hide something are the only ones that a look-up by role depends on.
const { StyleSheet } = require('@emotion/sheet');
const insert = StyleSheet.prototype.insert;
StyleSheet.prototype.insert = function (rule) {
  if (/(display:none|visibility:hidden)/.test(rule)) insert.call(this, rule);
};
