package io.despina.opcua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.opcua.History.Known;
import io.despina.opcua.History.Past;
import java.util.List;
import java.util.Map;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.junit.jupiter.api.Test;

/** Which values of a subscription are new. */
class GivenTest {
    private static final Item NODE = new Item(new NodeId(2, 1), "n", "ns=2;i=1", null, new String[0]);
    private static final Item OTHER = new Item(new NodeId(2, 2), "other", "ns=2;i=2", null, new String[0]);

    private final Given given = new Given();

    private void past(long... times) {
        for (long each : times) {
            given.past(new Past(NODE, null, each));
        }
    }

    @Test
    void theLastValueComesAgainWithAnotherSubscription() {
        assertTrue(given.isNew(NODE, 5, true));
        assertTrue(given.isNew(NODE, 5, false), "a device may measure twice at one time");
        assertFalse(given.isNew(NODE, 5, true));
        assertTrue(given.isNew(NODE, Reading.NO_TIME, true));
        assertEquals(List.of(new Known(NODE, 5)), given.known(List.of(NODE, OTHER)));
    }

    @Test
    void whatTheHistoryHasHadIsNotNew() {
        given.remember(Map.of("n", "10"));
        past(11, 12);
        given.subscribed();
        past(20, 30);
        assertFalse(given.isNew(NODE, 12, true), "it was the last one when the subscription was made");
        assertFalse(given.isNew(NODE, 20, false));
        assertFalse(given.isNew(NODE, 30, false));
        assertTrue(given.isNew(NODE, 31, false));
        assertTrue(given.isNew(NODE, 31, false));
    }

    /** Also where the connection breaks before all of the history is given. */
    @Test
    void whatTheHistoryHasHadInTwoPartsIsNotNew() {
        given.remember(Map.of("n", "10"));
        given.subscribed();
        past(20);
        assertEquals(List.of(new Known(NODE, 20)), given.known(List.of(NODE)));
        past(30);
        assertFalse(given.isNew(NODE, 15, true));
        assertFalse(given.isNew(NODE, 20, false));
        assertFalse(given.isNew(NODE, 30, false));
    }

    @Test
    void whatAClockMeasuresThatWasSetBackIsNew() {
        given.remember(Map.of("n", "1000"));
        past(1_010);
        given.subscribed();
        past(1_020);
        assertTrue(given.isNew(NODE, 500, true));
        assertTrue(given.isNew(NODE, 501, false));
    }
}
