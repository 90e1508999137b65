// The version of this build, put in by the bundler.
declare const GRANTCTL_VERSION: string;

export const version: string = GRANTCTL_VERSION;
