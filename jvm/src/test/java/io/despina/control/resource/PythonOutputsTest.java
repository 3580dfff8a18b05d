package io.despina.control.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PythonOutputsTest {
    private static final byte[] CHUNK = new byte[16 << 20];

    private final Queue<Message> atOnce = new ConcurrentLinkedQueue<>();
    private final Queue<Message> inTurn = new ConcurrentLinkedQueue<>();
    private final PythonOutputs outlets = new PythonOutputs(Attempt.first("job"), new ToCoordinator() {
        @Override
        public void tell(Message message) {
            atOnce.add(message);
        }

        @Override
        public void tellInTurn(Message message) {
            inTurn.add(message);
        }
    });

    @Test
    void rowsAndLinesWaitForTheirTurn() throws Exception {
        outlets.of("rows").rows(new byte[3]);
        outlets.of("lines").lines(List.of("a"));
        assertEquals(List.of(), List.copyOf(atOnce));
        assertEquals(2, inTurn.size());
    }

    @Test
    void aSinkIsOnlySoFarAheadOfPythonAlsoWhenTheJobIsToEnd() throws Exception {
        Thread sink = new Thread(() -> {
            try {
                while (true) {
                    outlets.of("rows").rows(CHUNK);
                }
            } catch (InterruptedException e) {
                // the test is over
            }
        });
        sink.start();
        waitsAfter(sink, PythonOutputs.MOST / CHUNK.length);
        outlets.taken(new Message.Taken(Attempt.first("job"), "rows", CHUNK.length));
        waitsAfter(sink, PythonOutputs.MOST / CHUNK.length + 1);
        outlets.stop();
        waitsAfter(sink, PythonOutputs.MOST_STOPPING / CHUNK.length + 1);
        sink.interrupt();
        sink.join();
    }

    private void waitsAfter(Thread sink, long messages) {
        while (inTurn.size() < messages || sink.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        assertEquals(messages, inTurn.size());
    }
}
