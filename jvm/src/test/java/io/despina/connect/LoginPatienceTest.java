package io.despina.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LoginPatienceTest {
    private static final LoginException REFUSED = new LoginException("no", null);

    private long now;
    private final LoginPatience patience = new LoginPatience(1_000, () -> now);

    private void lost(IOException why, long laterMillis) throws LoginException {
        now += TimeUnit.MILLISECONDS.toNanos(laterMillis);
        patience.lost(why);
    }

    @Test
    void aRefusalIsForGoodAfterATime() throws LoginException {
        lost(REFUSED, 5_000);
        lost(REFUSED, 999);
        assertEquals("no; tried again for retry_for_ms=1000",
                assertThrows(LoginException.class, () -> lost(REFUSED, 1)).getMessage());
    }

    @Test
    void theTimeBeginsAnewWhenTheServerLetsUsInOrDoesNotAnswer() throws LoginException {
        lost(REFUSED, 0);
        lost(new IOException("nobody is there"), 999);
        lost(REFUSED, 999);
        patience.ends();
        lost(REFUSED, 999);
        lost(REFUSED, 999);
        assertThrows(LoginException.class, () -> lost(REFUSED, 1));
    }

    @Test
    void anOutageTellsOnceThatTheLoginIsRefused() {
        List<String> told = new ArrayList<>();
        ServerOutage outage = new ServerOutage("in", "server", told::add);
        IOException away = new IOException("nobody is there");
        for (IOException why : List.of(away, away, REFUSED, REFUSED, away, REFUSED)) {
            outage.goesOn(why, "; it waits");
        }
        outage.ends();
        outage.goesOn(REFUSED, "; it waits");
        outage.goesOn(REFUSED, "; it waits");
        assertEquals(List.of("`in`: nobody is there; it waits", "`in`: no; it waits", "`in`: server answers again",
                "`in`: no; it waits"), told);
    }
}
