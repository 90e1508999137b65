// The questions of @inquirer/prompts that are used, and our own: the bundler leaves the others out of this chunk.
export { confirm, input, password } from "@inquirer/prompts";
export { pick, type PickState } from "./pick.ts";
