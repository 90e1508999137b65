// The words of `--from`.

export const reportForms = ["auto", "text", "trufflehog", "gitleaks", "github-alerts"] as const;
export type ReportForm = (typeof reportForms)[number];
