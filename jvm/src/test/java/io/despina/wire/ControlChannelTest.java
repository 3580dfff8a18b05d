package io.despina.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A control connection, stepped through by hand. */
class ControlChannelTest {
    private final List<String> closed = new ArrayList<>();
    private final ControlChannel control = new ControlChannel(connection -> new ControlHandler() {
        @Override
        public void message(byte[] json) {
        }

        @Override
        public void closed(String reason) {
            closed.add(reason);
        }
    });

    @Test
    void aMessageThatCannotBeWrittenEndsTheConnection() {
        Exhaustible memory = new Exhaustible();
        EmbeddedChannel channel = new EmbeddedChannel(control);
        channel.config().setAllocator(memory);
        memory.exhausted = true;
        control.send(new byte[8]);
        channel.runPendingTasks();
        assertEquals(List.of("cannot write: " + Exhaustible.SAYS), closed);
        assertFalse(channel.isOpen());
    }
}
