package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Diagnostic;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Logs lie below a state folder of the machine: what a job loses where its state is at an address is told before it runs. */
class StateAddressTest {

    private static Checked<JobPlan> plan(String settings, String state) throws Refusal {
        String text = "{\"format\": 1, \"name\": \"g\", \"settings\": {" + settings + "}, \"operators\": {\"in\": {\"type\": "
                + "\"tcp_source\", \"port\": 7000, \"format\": \"csv\", \"schema\": \"n INT\"}, \"posted\": {\"type\": "
                + "\"http_sink\", \"url\": \"http://box/\", \"format\": \"csv\"}, \"kept\": {\"type\": \"file_sink\", \"path\": "
                + "\"/out\", \"format\": \"csv\"}}, \"links\": [{\"from\": \"in\", \"to\": \"posted\"}, {\"from\": \"in\", "
                + "\"to\": \"kept\"}]}";
        return JobPlan.of(text, "g", JobOptions.parse(state == null ? "{}" : "{\"state\": \"" + state + "\"}",
                System::currentTimeMillis));
    }

    private static List<String> words(Checked<JobPlan> planned) {
        return planned.diagnostics().stream().filter(each -> each.rule().equals("guarantee")).map(Diagnostic::message).toList();
    }

    @Test
    void eachOperatorThatWouldHaveALogIsNamed() throws Refusal {
        assertEquals(List.of("the state is at s3a://box/state, where there are no logs: `in` loses with its process what it had "
                + "received and no complete epoch has", "the state is at s3a://box/state, where there are no logs: `posted` "
                + "gives its rows away before their epoch is complete, and after a loss again"),
                words(plan("", "s3a://box/state")));
        assertEquals(List.of(), words(plan("", "/state")));
        assertEquals(List.of(), words(plan("", null)));
    }

    @Test
    void aDemandIsComparedWithWhatHoldsThere() throws Refusal {
        String demand = "\"guarantee\": \"at_least_once\"";
        assertEquals(List.of(), words(plan(demand, "/state")));
        Checked<JobPlan> refused = plan(demand, "s3a://box/state");
        assertFalse(refused.ok());
        assertEquals("the settings demand each row at least once, and with `in` a row comes perhaps never or twice: where the "
                + "state is at an address, there are no logs, and what it had received is lost with its process",
                words(refused).get(0));
    }
}
