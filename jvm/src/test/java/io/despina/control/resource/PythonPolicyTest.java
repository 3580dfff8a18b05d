package io.despina.control.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.protocol.Refusal;
import io.despina.python.Interpreter;
import io.despina.python.SentModules;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PythonPolicyTest {
    private static final Interpreter OWN = Interpreter.of("/opt/python", List.of());
    private static final Interpreter ASKED = Interpreter.of("/usr/bin/python3", List.of())
            .with(new SentModules(Map.of("scores.py", "Zg=="), Map.of("scores", "1.2")));

    @ParameterizedTest
    @CsvSource({"acme.scores, acme.scores:f, true", "acme.scores:f, acme.scores:f, true", "acme.*, acme.scores:f, true",
        "*, scores:f, true", "acme, acmes:f, false", "acme.scores:f, acme.scores:g, false", "acme.*, other:f, false"})
    void aResourceThatJoinsRunsWhatItAllows(String allowed, String function, boolean may) throws Refusal {
        PythonPolicy policy = PythonPolicy.own(OWN, List.of(allowed));
        if (may) {
            SentModules sent = allowed.equals("*") ? ASKED.sent() : new SentModules(Map.of(), Map.of("scores", "1.2"),
                    "this resource takes no modules that come with a job: --allow-python '*' allows that", List.of(allowed));
            assertEquals(OWN.with(sent), policy.choose(ASKED, null, List.of(function), "far"));
        } else {
            assertTrue(refusal(policy, function).getMessage().contains("may not run the Python function `" + function));
        }
    }

    @Test
    void codeOfAProgramGoesToNoResourceThatJoins() {
        assertEquals("resource `far` runs functions of modules, and `__main__:f` is one of the program that submits the graph",
                refusal(PythonPolicy.own(OWN, List.of("*")), "__main__:f").getMessage());
    }

    @Test
    void anExecutorRunsSparksOwnPythonWithTheModulesOfTheJob() throws Refusal {
        Interpreter asked = new Interpreter("/usr/bin/python3", List.of("/graphs"),
                Map.of("__main__:f", "code"), SentModules.NONE);
        assertEquals(new Interpreter("./environment/bin/python", asked.modules(), asked.cells(), asked.sent()),
                PythonPolicy.by("./environment/bin/python").choose(asked, null, List.of("scores:f"), "executor_1"));
        assertEquals("nobody has said which Python runs `scores:f`", assertThrows(Refusal.class,
                () -> PythonPolicy.by("python3").choose(null, null, List.of("scores:f"), "executor_1")).getMessage());
    }

    @Test
    void theOneThatADeploymentNamesGoesBeforeSparksAndBeforeTheCoordinators() throws Refusal {
        for (PythonPolicy policy : List.of(PythonPolicy.AS_ASKED, PythonPolicy.by("./environment/bin/python"))) {
            assertEquals(ASKED.by("/opt/venv/bin/python"),
                    policy.choose(ASKED, "/opt/venv/bin/python", List.of("scores:f"), "near"));
        }
    }

    /** {@code check} refuses such a deployment, but a coordinator need not have asked it. */
    @Test
    void aResourceThatJoinsRunsNoProgramThatADeploymentNames() {
        Refusal refused = assertThrows(Refusal.class, () -> PythonPolicy.own(OWN, List.of("*"))
                .choose(ASKED, "/tmp/other", List.of("scores:f"), "far"));
        assertEquals("resource `far` runs functions by the Python of its own command, and the deployment names `/tmp/other`",
                refused.getMessage());
    }

    private static Refusal refusal(PythonPolicy policy, String function) {
        return assertThrows(Refusal.class, () -> policy.choose(ASKED, null, List.of(function), "far"));
    }
}
