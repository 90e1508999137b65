// Loaded before the program: makes the environment another user's. Wine sets these variables for each process by itself,
// from its registry, whatever it was given.
const { GRANTCTL_TEST_USER } = process.env;
delete process.env.GRANTCTL_TEST_USER;
for (const [name, value] of Object.entries(JSON.parse(GRANTCTL_TEST_USER))) {
  if (value === null) delete process.env[name];
  else process.env[name] = value;
}
