package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.members.Members;
import io.despina.control.process.ResourceMain;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of jobs whose resources are threads of this process: each has a coordinator and a folder of its own. */
abstract class WithCoordinator {
    private static final long MILLIS = 60_000;

    @TempDir
    Path folder;
    Coordinator coordinator;

    @BeforeEach
    void open() {
        coordinator = new Coordinator(ResourceMain::startThread, Members.Patience.USUAL);
    }

    @AfterEach
    void close() {
        coordinator.close();
    }

    /** Awaits the end of a job, which is to have done all. */
    ObjectNode done(String job) throws Exception {
        ObjectNode end = coordinator.await(job, MILLIS);
        assertEquals("done", end.path("state").asText(), end.toString());
        return end;
    }

    /** Stops a job at once, and awaits its end: its folder is removed next. */
    void stop(String job) throws Exception {
        coordinator.stop(job, "now");
        coordinator.await(job, MILLIS);
    }
}
