package io.despina.control.assembly;

import io.despina.catalogue.Catalogue;
import io.despina.catalogue.Halves;
import io.despina.catalogue.InstanceContext;
import io.despina.catalogue.PythonConnections;
import io.despina.catalogue.UserCode;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.database.source.FoundTable;
import io.despina.operator.python.Crossings;
import io.despina.operator.user.UserClass;
import io.despina.operator.user.UserPartition;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.plan.Plan;
import io.despina.plan.PlannedLink;
import io.despina.plan.PlannedOperator;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.SystemNotices;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/** Makes instances of a plan's operators, with the services of this process. */
public final class OperatorFactory implements TaskSpecs.Operators {
    private static final int DISK_THREADS = 2;
    private static final long KEEP_IDLE_S = 10;

    /**
     * Makes rolled files durable, so that no worker waits for the disk. Has a thread or two for all jobs, and none while nothing
     * rolls.
     */
    private static final Executor DISK = disk();
    private static final Executor SENDERS = senders();

    private final Plan plan;
    private final InstanceContext.Around around;

    /**
     * @param python null if no operator is connected to Python
     * @param user   runs the user's code
     */
    public OperatorFactory(Plan plan, PythonConnections python, UserCode user) {
        this(plan, python, user, DISK);
    }

    /** @param disk runs what waits for one in place of a worker */
    public OperatorFactory(Plan plan, PythonConnections python, UserCode user, Executor disk) {
        this.plan = plan;
        around = new InstanceContext.Around(python, SystemNotices.SHARED, disk, SENDERS, user, new Crossings());
    }

    private static Executor senders() {
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, KEEP_IDLE_S, TimeUnit.SECONDS, new SynchronousQueue<>(),
                work -> daemon(work, "despina-sender"));
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    private static Executor disk() {
        ThreadPoolExecutor disk = new ThreadPoolExecutor(DISK_THREADS, DISK_THREADS, KEEP_IDLE_S, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), work -> daemon(work, "despina-disk"));
        disk.allowCoreThreadTimeOut(true);
        return disk;
    }

    @Override
    public Supplier<? extends Operator> supplier(PlannedOperator operator) {
        InstanceContext making = new InstanceContext(plan, operator, around);
        return () -> Catalogue.make(making);
    }

    @Override
    public void host(List<TaskSpec> tasks) {
        Set<String> here = new HashSet<>();
        tasks.forEach(task -> task.stages().forEach(stage -> here.add(stage.instance() + " " + stage.operatorId())));
        plan.links().stream().filter(PlannedLink::shared).forEach(link -> {
            for (int k = 0; k < plan.operator(link.to()).parallelism(); k++) {
                if (here.contains(k + " " + link.from()) && here.contains(k + " " + link.to())) {
                    around.crossings().add(link.to(), k);
                }
            }
        });
    }

    /** Tries what an operator connects to; null if it connects to nothing. */
    public Probe probe(PlannedOperator operator) {
        return Catalogue.probe(new InstanceContext(plan, operator, around));
    }

    /** Looks for what an operator has left at a server under those names, or removes it; null if it leaves nothing. */
    public Probe leftovers(PlannedOperator operator, List<String> names, boolean removes) {
        return Catalogue.leftovers(new InstanceContext(plan, operator, around), names, removes);
    }

    /** What a source of a table could read of it. Blocks. */
    public FoundTable table(PlannedOperator operator, long millis) throws IOException {
        return Catalogue.table(new InstanceContext(plan, operator, around), millis);
    }

    @Override
    public Halves halves(PlannedOperator operator) {
        return Catalogue.halves(new InstanceContext(plan, operator, around));
    }

    @Override
    public Supplier<ToIntFunction<Packet>> partition(String className, Schema packets) {
        UserClass user = new UserClass(className, around.user().classes());
        return () -> new UserPartition(user, packets);
    }
}
