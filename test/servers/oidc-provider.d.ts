// The part of oidc-provider that tests use; it has no types.
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export interface Client {
    readonly clientId: string;
  }

  interface TokenFields {
    readonly client: Client;
    readonly accountId: string;
    readonly grantId: string;
    readonly scope: string;
    readonly gty: string;
  }

  interface TokenModel {
    new (fields: TokenFields): { resourceServer?: object; save(): Promise<string> };
    find(value: string): Promise<object | undefined>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    readonly Client: { find(id: string): Promise<Client | undefined> };
    readonly Grant: new (fields: { accountId: string; clientId: string }) => {
      addOIDCScope(scope: string): void;
      save(): Promise<string>;
    };
    readonly AccessToken: TokenModel;
    readonly RefreshToken: TokenModel;
    readonly ResourceServer: new (name: string, fields: object) => object;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
  }
}
