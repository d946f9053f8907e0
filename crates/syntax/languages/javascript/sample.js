/**
 * A router for small servers: patterns with parameters, middleware, and nothing else.
 */

'use strict';

const http = require('http');
const { URL } = require('url');

const METHODS = ['get', 'post', 'put', 'delete'];
const defaults = { caseSensitive: false, strict: false };

/**
 * Turns `/users/:id` into a regular expression and the names of its parameters.
 */

function compile(pattern, options = defaults) {
  const names = [];
  const source = pattern
    .split('/')
    .map((part) => {
      if (!part.startsWith(':')) return escape(part);
      names.push(part.slice(1));
      return '([^/]+)';
    })
    .join('/');
  const flags = options.caseSensitive ? '' : 'i';
  return { names, regexp: new RegExp(`^${source}${options.strict ? '' : '/?'}$`, flags) };
}

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

class Route {
  #handlers = [];

  constructor(method, pattern, handlers) {
    this.method = method;
    this.#handlers = handlers;
    Object.assign(this, compile(pattern));
  }

  /** Gives the parameters when the path fits, otherwise nothing. */
  match(path) {
    const found = this.regexp.exec(path);
    if (!found) return undefined;
    return Object.fromEntries(this.names.map((name, at) => [name, decodeURIComponent(found[at + 1])]));
  }

  async run(request, response) {
    for (const handler of this.#handlers) {
      let goOn = false;
      await handler(request, response, () => { goOn = true; });
      if (!goOn) return;
    }
  }

  get length() {
    return this.#handlers.length;
  }

  onError = (error) => {
    console.error(this.method, error);
  };
}

function Router(options) {
  if (!(this instanceof Router)) return new Router(options);
  this.options = { ...defaults, ...options };
  this.routes = [];
  this.middleware = [];
}

/** Adds something that sees every request first. */
Router.prototype.use = function use(fn) {
  this.middleware.push(fn);
  return this;
};

METHODS.forEach((method) => {
  Router.prototype[method] = function (pattern, ...handlers) {
    this.routes.push(new Route(method, pattern, handlers));
    return this;
  };
});

Router.prototype.handle = async function (request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  for (const fn of this.middleware) await fn(request, response);
  for (const route of this.routes) {
    const params = request.method.toLowerCase() === route.method && route.match(pathname);
    if (params) {
      request.params = params;
      try {
        return await route.run(request, response);
      } catch (error) {
        route.onError(error);
        response.statusCode = 500;
        return response.end('error');
      }
    }
  }
  response.statusCode = 404;
  response.end('not found');
};

Router.prototype.listen = function listen(...args) {
  const server = http.createServer((request, response) => this.handle(request, response));
  return server.listen(...args);
};

const json = {
  async parse(request) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  },
  send: (response, value) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(value));
  },
};

module.exports = Router;
module.exports.json = json;
module.exports.logger = function logger(request) {
  console.log(request.method, request.url);
};

if (require.main === module) {
  Router()
    .use(module.exports.logger)
    .get('/hello/:name', (request, response) => json.send(response, { hello: request.params.name }))
    .listen(8080);
}
