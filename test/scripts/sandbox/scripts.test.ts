import { testScripts } from "../../support/script/script.ts";

testScripts(import.meta.dirname);
