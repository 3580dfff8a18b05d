package io.despina.spark.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.coordinator.Coordinator;
import io.despina.control.visit.JobAddress;
import io.despina.json.Json;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams of one driver that read one output of a running job, called as Spark calls them. */
@Timeout(300)
class GraphStreamTest {
    private static final int COUNT = 1_000;
    private static final long LONG = 60_000;
    private static final String GRAPH = """
            {"format": 1, "name": "read",
             "operators": {"made": {"type": "generator_source", "count": %d, "rows": {"type": "select", "select": ["id"]}},
                           "rows": {"type": "discard_sink"}},
             "links": [{"from": "made", "to": "rows"}]}
            """.formatted(COUNT);

    /** Its rows are there at once, and its end when source `fed` has ended. */
    private static final String LATE_END = """
            {"format": 1, "name": "late",
             "operators": {"made": {"type": "generator_source", "count": %d, "rows": {"type": "select", "select": ["id"]}},
                           "fed": {"type": "generator_source", "count": 1, "rows": {"type": "select", "select": ["id"]}},
                           "none": {"type": "filter", "where": "id < 0"},
                           "rows": {"type": "discard_sink"}},
             "links": [{"from": "made", "to": "rows"}, {"from": "fed", "to": "none"}, {"from": "none", "to": "rows"}]}
            """.formatted(COUNT);

    private final Coordinator coordinator = new Coordinator();
    private String job;
    private JobAddress address;

    @BeforeEach
    void start() throws Exception {
        start(GRAPH);
    }

    /** @param fed sources that the test ends */
    private void start(String graph, String... fed) throws Exception {
        var options = Json.object();
        options.putArray("serve").add("rows");
        var inputs = options.putArray("inputs");
        List.of(fed).forEach(inputs::add);
        job = coordinator.run(graph, "test", options.toString()).path("job").asText();
        address = coordinator.address(job);
    }

    @AfterEach
    void end() {
        coordinator.close();
    }

    private GraphStream stream(String query, int readers) {
        SourceOptions.Limits limits = new SourceOptions.Limits(null, 1 << 30, 0, 1 << 20, readers);
        return new GraphStream(new SourceOptions("job", address, null, "rows", limits, false, false, false),
                Schema.of(new Column("id", Simple.BIGINT, false)), query + "/sources/0");
    }

    private static long row(Offset offset) {
        return RowOffset.of(offset).rows()[0];
    }

    /** Reads all rows there are, in one batch, which is committed when the end is known. @return its end */
    private static Offset read(GraphStream stream) {
        Offset first = stream.initialOffset();
        assertEquals(0, row(first));
        Offset last = first;
        while (row(last) < COUNT || !hasEnded(stream, last)) {
            last = stream.latestOffset(first, ReadLimit.allAvailable());
        }
        assertEquals(1, stream.planInputPartitions(first, last).length);
        stream.commit(last);
        return last;
    }

    private static boolean hasEnded(GraphStream stream, Offset read) {
        return "true".equals(stream.metrics(Optional.of(read)).get("ended"));
    }

    private void ends() throws Exception {
        assertEquals("done", coordinator.await(job, LONG).path("state").asText());
    }

    @Test
    void theJobEndsWhenItsReaderHasCommittedAllRows() throws Exception {
        GraphStream one = stream("one", 1);
        read(one);
        ends();
        one.stop();
    }

    @Test
    void aJobThatHasNoRowsLeftIsThereUntilItsReaderKnowsTheEnd() throws Exception {
        start(LATE_END, "fed");
        GraphStream one = stream("one", 1);
        Offset last = one.initialOffset();
        while (row(last) < COUNT) {
            last = one.latestOffset(last, ReadLimit.allAvailable());
        }
        one.commit(last);
        coordinator.endFeed(job, "fed", "");
        assertEquals("running", coordinator.await(job, 500).path("state").asText());
        while (!hasEnded(one, last)) {
            assertEquals(COUNT, row(one.latestOffset(last, ReadLimit.allAvailable())));
        }
        one.commit(last);
        ends();
        one.stop();
    }

    @Test
    void whatOneQueryHasCommittedIsThereForTheOther() throws Exception {
        GraphStream one = stream("one", 1);
        GraphStream other = stream("other", 1);
        read(one);
        read(other);
        ends();
        one.stop();
        other.stop();
    }

    @Test
    void whoHasHadAllRowsAsksOnWhenAnotherHasTakenTheLastAndTheJobHasEnded() throws Exception {
        GraphStream one = stream("one", 1);
        GraphStream other = stream("other", 1);
        Offset last = read(one);
        while (!hasEnded(one, last)) {
            Thread.onSpinWait();
        }
        read(other);
        ends();
        coordinator.close();        // as `despina run` does then
        for (GraphStream each : List.of(one, other)) {
            assertEquals(COUNT, row(each.latestOffset(last, each.getDefaultReadLimit())));
            assertTrue(hasEnded(each, last));
            each.stop();
        }
    }

    @Test
    void rowsWaitForAQueryThatBeginsLater() throws Exception {
        GraphStream one = stream("one", 2);
        read(one);
        GraphStream other = stream("other", 2);
        read(other);
        ends();
        one.stop();
        other.stop();
    }
}
