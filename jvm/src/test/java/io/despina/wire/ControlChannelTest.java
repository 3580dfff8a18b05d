package io.despina.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A control connection, stepped through by hand. */
@Timeout(60)
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
    }, "");

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

    private Thread sendingInTurn(byte[] message) {
        Thread thread = new Thread(() -> {
            try {
                control.sendInTurn(message);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        thread.start();
        while (thread.getState() != Thread.State.WAITING && thread.isAlive()) {
            Thread.onSpinWait();
        }
        assertTrue(thread.isAlive(), "it does not wait");
        return thread;
    }

    @Test
    void whoSendsInTurnWaitsWhileMuchIsLeaving() throws Exception {
        RemoteSenderTest.Socket socket = new RemoteSenderTest.Socket();
        socket.stuck = true;
        EmbeddedChannel channel = new EmbeddedChannel(socket, control);
        byte[] half = new byte[ControlChannel.MOST_LEAVING / 2];
        control.sendInTurn(half);
        control.sendInTurn(half);
        Thread third = sendingInTurn(half);
        control.send(new byte[8]);
        channel.runPendingTasks();
        assertEquals(3, socket.written.size());
        socket.take();
        third.join();
        channel.runPendingTasks();
        assertEquals(4, socket.written.size());
        socket.written.forEach(ByteBuf::release);
    }

    @Test
    void nobodyWaitsForAConnectionThatHasEnded() throws Exception {
        RemoteSenderTest.Socket socket = new RemoteSenderTest.Socket();
        socket.stuck = true;
        EmbeddedChannel channel = new EmbeddedChannel(socket, control);
        control.send(new byte[ControlChannel.MOST_LEAVING]);
        Thread waiting = sendingInTurn(new byte[8]);
        channel.close();
        waiting.join();
        assertEquals(List.of("the other side closed the connection"), closed);
        socket.written.forEach(ByteBuf::release);
    }
}
