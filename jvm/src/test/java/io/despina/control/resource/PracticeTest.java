package io.despina.control.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.placement.Deployment;
import io.despina.runtime.host.Resource;
import io.despina.snapshot.SnapshotStores;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PracticeTest {
    private static final long MEMORY = 64 << 20;

    private final Budget budget = new Budget(MEMORY, 2);
    private final Resource runtime = Resource.open(2, new SegmentPool(budget), null, System::nanoTime);
    private final ExecutorService handlers = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        runtime.close();
        handlers.shutdownNow();
    }

    private Practice practice(String resource) {
        return new Practice(new JobAgent.Host(resource, runtime, System::nanoTime, null,
                new StateStores(address -> SnapshotStores.at(address, Map.of()), handlers), PythonPolicy.AS_ASKED), MEMORY,
                handlers);
    }

    @Test
    void itRunsToItsEndAndGivesAllMemoryBack() throws Exception {
        practice(Deployment.LOCAL).run().get();
        assertEquals(MEMORY, budget.floating());
        assertEquals(0, budget.held());
    }

    @Test
    void itDoesNotBeginWhereThereIsWorkInEarnest() throws Exception {
        Practice late = practice(Deployment.LOCAL);
        late.end();
        late.run().get();
    }

    @Test
    void oneThatCannotRunSaysWhy() {
        assertThrows(ExecutionException.class, () -> practice("elsewhere").run().get());
    }
}
