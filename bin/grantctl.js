#!/usr/bin/env node
import { createProcessHost, main } from "../dist/main.js";

process.exitCode = await main(createProcessHost());
