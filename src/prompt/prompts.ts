// The questions of @inquirer/prompts that are used: the bundler leaves the others out of this chunk.
export { confirm, input, password } from "@inquirer/prompts";
