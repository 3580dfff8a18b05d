package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.Sink;
import io.despina.packet.PacketCursor;
import io.despina.state.NamedEntries;
import io.despina.state.Snapshots;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a snapshot says of a sink's epochs: those that are prepared, and the last of which somebody has seen rows. */
class SinkEpochsTest {
    private boolean hasRows = true;

    private SinkEpochs epochs() {
        Sink sink = new Sink() {
            @Override
            public void process(int port, PacketCursor packets) {
                throw new AssertionError("it gets none");
            }

            @Override
            public boolean shows(long epoch) {
                return hasRows;
            }
        };
        return new SinkEpochs(sink, null, Runnable::run, epoch -> { });
    }

    private static Map<String, String> frozen(SinkEpochs epochs) {
        epochs.state().freeze();
        return ((NamedEntries) epochs.state()).texts();
    }

    private static SinkEpochs restored(SinkEpochs into, Map<String, String> texts) throws Exception {
        Snapshots.restore(into.state(), Snapshots.of(new NamedEntries("sink_epochs", () -> texts)));
        into.restored();
        return into;
    }

    @Test
    void whatIsPreparedIsShownWhenItIsCommitted() throws Exception {
        SinkEpochs epochs = epochs();
        epochs.barrier(4, false);
        assertEquals(Map.of("current", "5", "prepared", "4", "shows", "4", "shown", "0"), frozen(epochs));
        epochs.commit(4, false);
        epochs.barrier(5, false);
        assertEquals(Map.of("current", "6", "prepared", "5", "shows", "5", "shown", "4"), frozen(epochs));
    }

    @Test
    void anEpochWithoutRowsShowsNothing() throws Exception {
        SinkEpochs epochs = epochs();
        epochs.barrier(4, false);
        epochs.commit(4, false);
        hasRows = false;
        epochs.barrier(5, false);
        epochs.commit(5, false);
        epochs.barrier(6, false);
        assertEquals(Map.of("current", "7", "prepared", "6", "shows", "", "shown", "4"), frozen(epochs));
    }

    @Test
    void theNextAttemptKnowsIt() throws Exception {
        assertEquals("3", frozen(restored(epochs(), Map.of("current", "8", "prepared", "", "shown", "3"))).get("shown"));
        assertEquals("7", frozen(restored(epochs(), Map.of("current", "8", "prepared", ""))).get("shown"),
                "an engine that did not say it may have shown any");
        assertEquals("0", frozen(restored(epochs(), Map.of())).get("shown"), "of another instance");
    }
}
