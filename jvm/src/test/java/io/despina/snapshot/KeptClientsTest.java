package io.despina.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeptClientsTest {
    private final List<String> said = new ArrayList<>();
    private final List<Runnable> later = new ArrayList<>();
    private final KeptClients<String, AutoCloseable> clients = new KeptClients<>(login -> {
        said.add("made " + login);
        return () -> said.add("closed " + login);
    }, later::add);

    private void use(String login) throws Exception {
        clients.use(login, client -> null);
    }

    private void look() {
        assertEquals(1, later.size(), "one look at a time");
        later.remove(0).run();
    }

    @Test
    void oneIsKeptForAsLongAsItIsUsed() throws Exception {
        for (int k = 0; k < 10; k++) {
            use("a");
            look();
        }
        assertEquals(List.of("made a"), said);
    }

    @Test
    void oneThatNobodyUsesIsClosedAndMadeAgainWhenItIsNeeded() throws Exception {
        use("a");
        use("b");
        look();
        use("b");
        look();
        assertEquals(List.of("made a", "made b", "closed a"), said);
        use("a");
        look();
        look();
        assertEquals(List.of("made a", "made b", "closed a", "made a"), said.subList(0, 4));
        assertEquals(Set.of("closed a", "closed b"), Set.copyOf(said.subList(4, said.size())));
        assertEquals(0, later.size(), "nothing is left to look at");
    }

    /** However long a server takes to answer. */
    @Test
    void oneThatIsInUseIsNotClosed() throws Exception {
        clients.use("a", client -> {
            look();
            look();
            return null;
        });
        assertEquals(List.of("made a"), said);
        look();
        look();
        assertEquals(List.of("made a", "closed a"), said);
    }

    @Test
    void whatAUseThrowsIsTheCallers() throws Exception {
        try {
            clients.use("a", client -> {
                throw new IllegalStateException("it does not answer");
            });
        } catch (IllegalStateException own) {
            said.add(own.getMessage());
        }
        look();
        look();
        assertEquals(List.of("made a", "it does not answer", "closed a"), said);
    }
}
