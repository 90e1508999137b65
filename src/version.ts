// The version of this build, injected by the bundler.
declare const GRANTCTL_VERSION: string;

export const version: string = GRANTCTL_VERSION;
