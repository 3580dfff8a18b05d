package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.api.ReplayableSource;
import io.despina.api.RowSource;
import io.despina.api.RowWriter;
import io.despina.api.TransactionalSink;
import io.despina.placement.Deployment;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoadedPromisesTest {

    /** Fails if it is more than looked at. */
    public static final class Replays implements ReplayableSource {
        static {
            fail();
        }

        @Override
        public long produce(RowWriter out) {
            return ENDED;
        }

        private static void fail() {
            throw new IllegalStateException("code of the class has run");
        }
    }

    /** Says nothing of itself. */
    public static final class Reads implements RowSource {
        @Override
        public long produce(RowWriter out) {
            return ENDED;
        }
    }

    private static boolean keeps(String className, Class<?> promise, String... jars) {
        return new LoadedPromises(Deployment.single(Deployment.LOCAL, List.of(jars)), Path.of(""), Map.of())
                .keeps(className, promise);
    }

    private static String classes() throws URISyntaxException {
        return Path.of(LoadedPromisesTest.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    }

    @Test
    void aClassPromisesWhatItImplements() throws URISyntaxException {
        assertTrue(keeps(Replays.class.getName(), ReplayableSource.class, classes()));
        assertFalse(keeps(Replays.class.getName(), TransactionalSink.class, classes()));
        assertFalse(keeps(Reads.class.getName(), ReplayableSource.class, classes()));
    }

    @Test
    void nothingIsKnownOfAClassThatIsNotHere() throws URISyntaxException {
        assertFalse(keeps("com.acme.Absent", ReplayableSource.class, classes()));
        assertFalse(keeps(Replays.class.getName(), ReplayableSource.class));
        assertFalse(keeps(Replays.class.getName(), ReplayableSource.class, "/no/such.jar"));
    }
}
