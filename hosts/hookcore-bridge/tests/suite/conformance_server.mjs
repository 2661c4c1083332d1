// What the server scenarios of @modelcontextprotocol/conformance ask of a server, on streamable HTTP.
// PORT and NODE_MODULES are in the environment.
import http from 'node:http';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(`${process.env.NODE_MODULES}/x.js`);
const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
const types = require('@modelcontextprotocol/sdk/types.js');

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = Buffer.from('RIFF$\0\0\0WAVEfmt ').toString('base64');
const nap = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const object = (properties = {}, required = []) => ({ type: 'object', properties, required });
const text = (value) => ({ type: 'text', text: value });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const resource = (uri, more) => ({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'x', ...more } });

const E = ['option1', 'option2', 'option3'];
const titled = E.map((_, at) => ({ const: `value${at + 1}`, title: `T${at}` }));
const FORMS = {
  test_elicitation: object(
    { username: { type: 'string', description: 'u' }, email: { type: 'string', description: 'e' } },
    ['username', 'email'],
  ),
  test_elicitation_sep1034_defaults: object({
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  test_elicitation_sep1330_enums: object({
    untitledSingle: { type: 'string', enum: E },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['a', 'b', 'c'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: E } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  }),
};
const CONTENT = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: [resource('test://embedded-resource')],
  test_multiple_content_types: [
    text('m'), image, resource('test://mixed-content-resource', { mimeType: 'application/json', text: '{}' }),
  ],
};

async function call({ params: { name, arguments: given = {} } }, extra) {
  if (CONTENT[name]) return { content: CONTENT[name] };
  if (name === 'test_error_handling') {
    return { content: [text('This tool intentionally returns an error for testing')], isError: true };
  }
  if (name === 'test_tool_with_logging') {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await nap(50);
    }
  }
  if (name === 'test_tool_with_progress') {
    const progressToken = extra._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 };
      if (progressToken !== undefined) await extra.sendNotification({ method: 'notifications/progress', params });
      await nap(50);
    }
  }
  if (name === 'test_sampling') {
    const messages = [{ role: 'user', content: text(given.prompt ?? 'p') }];
    const request = { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } };
    const answer = await extra.sendRequest(request, types.CreateMessageResultSchema);
    return { content: [text(`LLM response: ${answer.content.text}`)] };
  }
  if (FORMS[name]) {
    const params = { message: given.message ?? 'm', requestedSchema: FORMS[name] };
    const answer = await extra.sendRequest({ method: 'elicitation/create', params }, types.ElicitResultSchema);
    const told = `action=${answer.action}, content=${JSON.stringify(answer.content)}`;
    return { content: [text(`${name === 'test_elicitation' ? 'User response' : 'Elicitation completed'}: ${told}`)] };
  }
  return { content: [text(name)] };
}

const NAMES = [
  ...Object.keys(CONTENT), ...Object.keys(FORMS), 'test_tool_with_logging', 'test_error_handling',
  'test_tool_with_progress', 'test_sampling', 'test_reconnection',
];
const tools = NAMES.map((name) => ({
  name,
  description: name.replaceAll('_', ' '),
  inputSchema: object({ prompt: { type: 'string' }, message: { type: 'string' } }),
}));
const address = object({ street: { type: 'string' }, city: { type: 'string' } });
tools.push({
  name: 'json_schema_2020_12_tool',
  description: 'x',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { type: 'object', properties: address.properties } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
});

const user = (content) => ({ role: 'user', content });
const PROMPTS = {
  test_simple_prompt: () => [user(text('This is a simple prompt for testing.'))],
  test_prompt_with_arguments: (a) => [user(text(`Prompt with arguments: arg1='${a.arg1}', arg2='${a.arg2}'`))],
  test_prompt_with_embedded_resource: (a) => [user(resource(a.resourceUri)), user(text('x'))],
  test_prompt_with_image: () => [user(image), user(text('x'))],
};
const ARGUMENTS = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
};

function read({ params: { uri } }) {
  if (uri.includes('binary')) return { contents: [{ uri, mimeType: 'image/png', blob: PNG }] };
  const told = `This is the content of the static text resource. ${uri} ${uri.split('/')[3]}`;
  return { contents: [{ uri, mimeType: 'text/plain', text: told }] };
}

function made() {
  const capabilities = {
    tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {},
  };
  const server = new Server({ name: 'conformance', version: '1' }, { capabilities });
  const on = (schema, answer) => server.setRequestHandler(types[schema], answer);
  on('SetLevelRequestSchema', () => ({}));
  on('SubscribeRequestSchema', () => ({}));
  on('UnsubscribeRequestSchema', () => ({}));
  on('CompleteRequestSchema', () => ({ completion: { values: ['a', 'b'], total: 2, hasMore: false } }));
  on('ListToolsRequestSchema', () => ({ tools }));
  on('CallToolRequestSchema', call);
  const uris = ['test://static-text', 'test://static-binary', 'test://watched-resource'];
  on('ListResourcesRequestSchema', () => ({
    resources: uris.map((uri) => ({ uri, name: uri, description: uri, mimeType: 'text/plain' })),
  }));
  on('ListResourceTemplatesRequestSchema', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 't', mimeType: 'application/json' }],
  }));
  on('ReadResourceRequestSchema', read);
  on('ListPromptsRequestSchema', () => ({
    prompts: Object.keys(PROMPTS).map((name) => ({
      name,
      description: 'x',
      arguments: (ARGUMENTS[name] ?? []).map((one) => ({ name: one, description: one, required: true })),
    })),
  }));
  on('GetPromptRequestSchema', ({ params }) => ({ messages: PROMPTS[params.name](params.arguments ?? {}) }));
  return server;
}

const sessions = {};
http.createServer(async (request, response) => {
  let body;
  if (request.method === 'POST') {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    body = JSON.parse(Buffer.concat(pieces));
  }
  let transport = sessions[request.headers['mcp-session-id']];
  if (!transport) {
    if (body?.method !== 'initialize') return response.writeHead(400).end('{}');
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => { sessions[id] = transport; },
    });
    await made().connect(transport);
  }
  return transport.handleRequest(request, response, body);
}).listen(Number(process.env.PORT), '127.0.0.1');
