// The little of sshpk that key-pair.test.ts uses; the package comes without types.
declare module "sshpk" {
  export interface Key {
    readonly type: string;
    readonly size: number;
    comment: string;
    toString(format: "ssh"): string;
  }
  export interface PrivateKey extends Key {
    toPublic(): Key;
    createSign(hash: "sha512"): { update(data: string): void; sign(): { toBuffer(format: "raw"): Buffer } };
  }
  export function parsePrivateKey(text: string, format: "openssh"): PrivateKey;
  export function parseKey(text: string, format: "ssh"): Key;
}
