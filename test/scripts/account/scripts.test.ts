import { testScripts } from "../../support/script.ts";

testScripts(import.meta.dirname);
