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
const { configure, getConfig } = require('@testing-library/dom');
const { getElementError } = getConfig();
configure({
  asyncUtilTimeout: 30_000,
  // The message prints the whole document. While a test waits, only the message of the last attempt is read.
  getElementError: function withLateMessage(message, container) {
    const print = () => getElementError(message, container);
    const error = getConfig()._disableExpensiveErrorDiagnostics ? new Error(message ?? '') : print();
    error.name = 'TestingLibraryElementError';
    Error.captureStackTrace(error, withLateMessage);
    if (getConfig()._disableExpensiveErrorDiagnostics) {
      Object.defineProperty(error, 'message', { get: () => print().message, configurable: true });
    }
    return error;
  },
});

// React takes a stack trace for each of the first ten thousand elements of a second, for warnings that name the owner
// of an element.
const { __CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE: react } = require('react');
Object.defineProperty(react, 'recentlyCreatedOwnerStacks', { get: () => Infinity, set() {} });

// jsdom compares every element with every style rule whenever a role is looked up, which took three quarters of the time
// of these tests. Rules that hide something are the only ones that a look-up by role depends on.
const { StyleSheet } = require('@emotion/sheet');
const insert = StyleSheet.prototype.insert;
StyleSheet.prototype.insert = function (rule) {
  if (/(display:none|visibility:hidden)/.test(rule)) insert.call(this, rule);
};

// jsdom has no layout, and charts report errors if they have no size.
const style = globalThis.document.createElement('style');
style.textContent = '.MuiChartsSurface-root { width: 300px; height: 150px }';
globalThis.document.head.append(style);
