import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** `PublicKeyCredential…OptionsJSON`, as far as an authenticator reads it. */
interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
}

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();
const base64url = (data: Buffer): string => data.toString('base64url');

/** CBOR of the few values that WebAuthn needs: integers, texts, bytes and maps (RFC 8949). */
function cbor(value: number | string | Buffer | ReadonlyMap<number | string, unknown>): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, item]) => [cbor(key), cbor(item as never)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}

/** An authenticator with one ES256 passkey that verifies its user, without attestation. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(16);
  private readonly privateKey: KeyObject;
  /** The COSE key, in the form that a relying party stores. */
  readonly publicKey: Buffer;

  /**
   * @param origin of the page that the browser would show
   * @param counter signature counter before the next use; null stays 0, as with synced passkeys
   */
  constructor(
    readonly origin: string,
    private counter: number | null = null,
  ) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.privateKey = privateKey;
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.publicKey = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
  }

  /** The response to `navigator.credentials.create`. */
  create({ challenge, rp }: Options): Record<string, unknown> {
    const length = Buffer.from([0, this.id.length]);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, this.publicKey]);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', this.authenticatorData(rp?.id ?? '', 0x40, credential)],
    ]);
    return this.credential({
      clientDataJSON: base64url(this.clientData('webauthn.create', challenge)),
      attestationObject: base64url(cbor(attestation)),
      transports: ['internal'],
    });
  }

  /** The response to `navigator.credentials.get`. */
  get({ challenge, rpId = '' }: Options): Record<string, unknown> {
    const clientData = this.clientData('webauthn.get', challenge);
    const data = this.authenticatorData(rpId, 0, Buffer.alloc(0));
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), this.privateKey);
    return this.credential({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(data),
      signature: base64url(signature),
    });
  }

  private credential(response: Record<string, unknown>): Record<string, unknown> {
    const id = base64url(this.id);
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  private clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }

  private authenticatorData(domain: string, flags: number, credential: Buffer): Buffer {
    const counter = Buffer.alloc(4);
    if (this.counter !== null) counter.writeUInt32BE(++this.counter);
    // User present and verified.
    return Buffer.concat([sha256(domain), Buffer.from([flags | 0x05]), counter, credential]);
  }
}
