import { type Control, createControlClient } from "../../src/sandbox/index.ts";
import { type Program, start, TXFEED } from "./program.ts";

/** The output of `txfeed sandbox --json`. */
interface SandboxFacts {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly secondAccount: { readonly accountId: string };
}

/** A sandbox in a program of its own. */
export interface SandboxProgram extends Program {
  readonly facts: SandboxFacts;
  readonly control: Control;
}

/** Starts `txfeed sandbox --json` on a free port. */
export async function startSandboxProgram(
  args: readonly string[] = [],
  { fileBlocks }: { readonly fileBlocks?: number } = {},
): Promise<SandboxProgram> {
  const command = [process.execPath, TXFEED, "sandbox", "--port", "0", "--json", ...args];
  const limit = `ulimit -S -f ${fileBlocks ?? "unlimited"} && exec "$@"`;
  const program = start("sh", ["-c", limit, "sh", ...command]);
  const [line] = await program.until(/^.+\n/);
  const facts: SandboxFacts = JSON.parse(line);
  return { ...program, facts, control: createControlClient(facts.controlUrl) };
}

/** Exchanges the sandbox's API credentials for a token. */
export async function tokenOf({ facts }: SandboxProgram): Promise<string> {
  const { baseUrl, accountId, clientId, clientSecret } = facts;
  const url = `${baseUrl}/auth/realms/${accountId}/protocol/openid-connect/token`;
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
  });
  const response = await fetch(url, { method: "POST", body });
  return ((await response.json()) as { access_token: string }).access_token;
}
