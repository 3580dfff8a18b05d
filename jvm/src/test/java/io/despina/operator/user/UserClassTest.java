package io.despina.operator.user;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.api.Context;
import io.despina.api.RowSource;
import io.despina.api.RowWriter;
import io.despina.operator.OpeningException;
import java.io.IOException;
import java.net.ConnectException;
import java.sql.SQLException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A class that cannot be made or opened is told from one that has not reached something outside. */
class UserClassTest {

    /** Throws as it is made. */
    public static final class Unmade implements RowSource {
        public Unmade() {
            throw new IllegalStateException("no such sensor");
        }

        @Override
        public void open(Context context) {
            throw new AssertionError("it is not made");
        }

        @Override
        public long produce(RowWriter out) {
            return ENDED;
        }
    }

    private static UserClass named(String name) {
        return new UserClass(name, UserClassTest.class.getClassLoader());
    }

    @Test
    void aClassThatIsNotThereOrDoesNotFitNeverOpens() {
        assertEquals("there is no class com.acme.Gone in the jars of this resource",
                assertThrows(OpeningException.class, () -> named("com.acme.Gone").create(RowSource.class)).getMessage());
        assertEquals("class java.lang.String does not implement " + RowSource.class.getName(),
                assertThrows(OpeningException.class, () -> named("java.lang.String").create(RowSource.class)).getMessage());
        UserClass unmade = named(Unmade.class.getName());
        assertEquals(Unmade.class.getName() + ": IllegalStateException: no such sensor (UserClassTest.java:26)",
                assertThrows(OpeningException.class, () -> unmade.create(RowSource.class)).getMessage());
    }

    private static Stream<Throwable> outside() {
        return Stream.of(new ConnectException("Connection refused"), new IOException("disk"), new SQLException("down"),
                new TimeoutException("slow"), new IllegalStateException("no database", new SQLException("down")));
    }

    @ParameterizedTest
    @MethodSource("outside")
    void whatWasNotReachedMayBeThereNextTime(Throwable thrown) {
        assertEquals(IllegalArgumentException.class, named("a.B").notOpened(thrown).getClass());
    }

    @Test
    void whateverElseItThrowsItWillThrowAgain() {
        assertInstanceOf(OpeningException.class, named("a.B").notOpened(new NullPointerException()));
        assertInstanceOf(OpeningException.class, named("a.B").notOpened(new NoClassDefFoundError("c/D")));
    }
}
