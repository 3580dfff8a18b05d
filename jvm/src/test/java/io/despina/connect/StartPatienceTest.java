package io.despina.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StartPatienceTest {
    private static final long MILLIS = 1_000;

    private long now;
    private int tries;
    private final StartPatience patience = new StartPatience(MILLIS, () -> now, nanos -> now += nanos);

    private String connected(long listensAfterMillis, IOException before) throws IOException {
        tries++;
        if (now < TimeUnit.MILLISECONDS.toNanos(listensAfterMillis)) {
            throw before;
        }
        return "connected";
    }

    @Test
    void aServerThatBeginsALittleLaterIsWaitedFor() throws Exception {
        IOException nobody = new IOException("nobody is there", new ConnectException("Connection refused"));
        assertEquals("connected", patience.await(() -> connected(MILLIS / 2, nobody)));
        assertTrue(now < MILLIS * TimeUnit.MILLISECONDS.toNanos(1), () -> now + " ns");
    }

    @Test
    void oneThatDoesNotBeginIsTriedForItsTime() {
        IOException nobody = new IOException("nobody is there", new ConnectException("Connection refused"));
        assertEquals(nobody, assertThrows(IOException.class, () -> patience.await(() -> connected(2 * MILLIS, nobody))));
        assertTrue(tries > 2 && now < TimeUnit.MILLISECONDS.toNanos(MILLIS), () -> tries + " tries in " + now + " ns");
    }

    @Test
    void whatAServerSaysIsToldAtOnce() {
        LoginException refused = new LoginException("no", null);
        assertEquals(refused, assertThrows(LoginException.class, () -> patience.await(() -> connected(MILLIS, refused))));
        assertEquals(1, tries);
    }
}
