package io.despina.control.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.control.protocol.Refusal;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DialingTest {
    private final List<String> heard = new ArrayList<>();
    private final CompletableFuture<ControlConnection> late = new CompletableFuture<>();
    private final CompletableFuture<ControlHandler> ofLate = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private final ControlHandler handler = new ControlHandler() {
        @Override
        public void message(byte[] json) {
            heard.add("message");
        }

        @Override
        public void closed(String reason) {
            heard.add("closed");
        }
    };

    private final class Connected implements ControlConnection {
        @Override
        public String admitted() {
            return "";
        }

        @Override
        public void send(byte[] json) {
        }

        @Override
        public void sendInTurn(byte[] json) {
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void close() {
            closed.complete(null);
        }
    }

    /** `held` takes a connection, and does not answer; `none` refuses it. */
    private ControlConnection dial(String host, ControlHandler with, ControlConnection there) throws IOException {
        if (host.equals("none")) {
            throw new IOException("refused");
        }
        if (host.equals("held")) {
            ofLate.complete(with);
            return late.join();
        }
        return there;
    }

    @Test
    void oneThatDoesNotAnswerDoesNotKeepItFromTheOther() throws Exception {
        ControlConnection there = new Connected();
        Dialing dialing = new Dialing((host, port, with) -> dial(host, with, there), 1);
        assertSame(there, new Dialing((host, port, with) -> dial(host, with, there), 60_000).first("none:1,other:2", handler));
        assertEquals("cannot join the coordinator at held:1: no answer",
                assertThrows(Refusal.class, () -> dialing.first("none:2,held:1", handler)).getMessage());
        late.complete(new Connected());
        closed.join();
        ofLate.join().message(new byte[0]);
        ofLate.join().closed("closed here");
        assertEquals(List.of(), heard);
    }

    @Test
    void whoIsThereIsHeard() throws Exception {
        CompletableFuture<ControlHandler> given = new CompletableFuture<>();
        new Dialing((host, port, with) -> {
            given.complete(with);
            return new Connected();
        }, 60_000).first("one:1,other:2", handler);
        given.join().message(new byte[0]);
        given.join().closed("it has left");
        assertEquals(List.of("message", "closed"), heard);
    }

    @Test
    void whyNobodyIsThereIsThatOfTheLast() {
        Dialing dialing = new Dialing((host, port, with) -> dial(host, with, null), 60_000);
        assertEquals("cannot join the coordinator at none:2: refused",
                assertThrows(Refusal.class, () -> dialing.first("none:1,none:2", handler)).getMessage());
    }
}
