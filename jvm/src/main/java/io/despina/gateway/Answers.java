package io.despina.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import java.util.concurrent.Callable;

/** What Python is answered: calls are made with the engine's own class loader, and errors become answers. */
final class Answers {
    private Answers() {
    }

    /** Rows, or the refusal of an unknown job or sink. */
    interface RowsCall {
        byte[] take() throws Refusal;
    }

    /** What is done, with nothing to tell of it but that it was. */
    interface Deed {
        void run() throws Exception;
    }

    /** An empty answer. */
    static String done(Deed deed) {
        return json(() -> {
            deed.run();
            return Json.object();
        });
    }

    /** No rows for a call that is refused: such an answer cannot hold an error. */
    static byte[] rows(RowsCall call) {
        ClassLoader before = useOwnClasses();
        try {
            return call.take();
        } catch (Refusal unknown) {
            return new byte[0];
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /** In Spark's JVM the calling thread's loader may not know our classes, and code that is compiled here extends them. */
    private static ClassLoader useOwnClasses() {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(Answers.class.getClassLoader());
        return before;
    }

    /** The answer, or in its place what went wrong; a lack of memory is thrown. */
    static String json(Callable<? extends JsonNode> call) {
        ClassLoader before = useOwnClasses();
        try {
            return Json.text(call.call());
        } catch (ThreadDeath | OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            // errors too: an expression that is nested too deeply causes one
            return Json.text(Refusal.of(e).json());
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
