package io.despina.control.resource;

import io.despina.control.protocol.Refusal;
import io.despina.python.Interpreter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PythonPolicyTest {
    private static final Interpreter OWN = new Interpreter("/opt/python", List.of(), Map.of());
    private static final Interpreter ASKED = new Interpreter("/usr/bin/python3", List.of(), Map.of());

    @ParameterizedTest
    @CsvSource({"acme.scores, acme.scores:f, true", "acme.scores:f, acme.scores:f, true", "acme.*, acme.scores:f, true",
        "*, scores:f, true", "acme, acmes:f, false", "acme.scores:f, acme.scores:g, false", "acme.*, other:f, false"})
    void aResourceThatJoinsRunsWhatItAllows(String allowed, String function, boolean may) throws Refusal {
        PythonPolicy policy = PythonPolicy.own(OWN, List.of(allowed));
        if (may) {
            assertSame(OWN, policy.choose(ASKED, List.of(function), "far"));
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
        Interpreter asked = new Interpreter("/usr/bin/python3", List.of("/graphs"), Map.of("__main__:f", "code"));
        assertEquals(new Interpreter("./environment/bin/python", asked.modules(), asked.cells()),
                PythonPolicy.by("./environment/bin/python").choose(asked, List.of("scores:f"), "executor_1"));
        assertEquals("nobody has said which Python runs `scores:f`", assertThrows(Refusal.class,
                () -> PythonPolicy.by("python3").choose(null, List.of("scores:f"), "executor_1")).getMessage());
    }

    private static Refusal refusal(PythonPolicy policy, String function) {
        return assertThrows(Refusal.class, () -> policy.choose(ASKED, List.of(function), "far"));
    }
}
