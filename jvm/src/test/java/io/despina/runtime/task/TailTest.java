package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.task.Bench.Diary;
import io.despina.runtime.task.Bench.Puppet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Users see some of the rows that come to an operator, and hold up none. */
class TailTest {
    private final Bench bench = new Bench();
    private final Puppet puppet = new Puppet();
    private final Diary diary = new Diary();
    private final JobHandle job = bench.start(Bench.source("source", puppet, 1), Bench.sink("sink", diary, 1));
    private int sent;

    @AfterEach
    void end() {
        job.kill();
        bench.settle();
        assertEquals(0, bench.pool.budget().used(), "bytes in use");
    }

    private List<String> tail(int port) {
        List<String> rows = new ArrayList<>();
        assertEquals(1, job.commands().tail("sink", port, (stage, found) -> {
            assertEquals("sink", stage.operatorId());
            rows.addAll(found);
        }));
        return rows;
    }

    private void send(int count) {
        for (int k = 0; k < count; k++) {
            puppet.script.add(() -> puppet.number(sent++));
        }
        bench.pass(100 * Bench.MS);
    }

    @Test
    void rowsComeFromTheFirstQuestionOn() {
        send(3);
        assertEquals(List.of(), tail(0));
        send(2);
        assertEquals(List.of("{\"n\": 3}", "{\"n\": 4}"), tail(0));
        assertEquals(List.of(), tail(0));
        assertEquals(List.of(), tail(1), "it has no such port");
        assertEquals(0, job.commands().tail("other", 0, (stage, rows) -> { }));
    }

    @Test
    void someOfManyAreShownAndAllArePassedOn() {
        tail(0);
        send(400);
        int shown = tail(0).size();
        assertTrue(shown > 0 && shown <= PortTails.MOST, shown + " rows");
        assertEquals(400, job.counters().counts().operators().get("sink").packetsIn());
    }

    @Test
    void ofARowThatIsVeryLongTheSizeIsTold() {
        Schema schema = Schema.of(new Column("s", Type.Simple.STRING, false));
        PortTails tails = new PortTails(List.of(schema), () -> 0);
        tails.take(0);
        byte[] rows = Rows.encode(schema, List.of(List.of("x".repeat(70_000)), List.of("y".repeat(60_000)), List.of("z")));
        tails.see(0, rows, 0, rows.length);
        List<String> shown = tails.take(0);
        assertEquals("a row of " + (rows.length - Rows.encode(schema, List.of(List.of("y".repeat(60_000)), List.of("z"))).length)
                + " bytes", shown.get(0));
        assertTrue(shown.get(1).startsWith("{\"s\": \"yyy") && shown.get(1).endsWith("…"), shown.get(1));
        assertEquals("{\"s\": \"z\"}", shown.get(2));
    }

    @Test
    void whoComesBackSeesNothingOfLongAgo() {
        tail(0);
        send(2);
        bench.now += PortTails.LEASE_NANOS + 1;
        assertEquals(List.of(), tail(0));
        send(1);
        assertEquals(List.of("{\"n\": 2}"), tail(0));
    }

    @Test
    void whoAsksNoMoreLooksNoMore() {
        tail(0);
        bench.now += PortTails.LEASE_NANOS + 1;
        send(2);
        assertEquals(List.of(), tail(0), "it looks anew");
        send(1);
        assertEquals(List.of("{\"n\": 2}"), tail(0));
    }
}
