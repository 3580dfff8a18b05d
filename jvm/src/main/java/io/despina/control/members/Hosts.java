package io.despina.control.members;

import io.despina.control.protocol.Refusal;
import io.despina.placement.Deployment;
import io.despina.placement.WorkerThreads;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.IntStream;

/** Determines which of a deployment's resources are started here, which join, and whether they can reach each other. */
public final class Hosts {
    private static final String HERE = "127.0.0.1";
    /** No name in a deployment begins so. */
    private static final String SPARE = "~spare-";

    private Hosts() {
    }

    /** Whether the coordinator starts it as a process of this machine. */
    public static boolean isChild(Deployment.Resource resource) {
        return resource.start() == Deployment.Start.CHILD;
    }

    /** Whether the coordinator starts it as a task of Spark. */
    public static boolean isExecutor(Deployment.Resource resource) {
        return resource.start() == Deployment.Start.EXECUTOR;
    }

    /** Whether someone else starts it. */
    public static boolean isJoining(Deployment.Resource resource) {
        return resource.start() == Deployment.Start.JOIN;
    }

    /** Whether it stands by, to take the part of another one. */
    static boolean isSpare(Deployment.Resource resource) {
        return resource.name().startsWith(SPARE);
    }

    /** Whether no other job may use its process. */
    static boolean isOfOneJob(Deployment.Resource resource) {
        return isExecutor(resource) || isSpare(resource) || resource.processors().use().isExclusive();
    }

    /** So many more children, each as large as the largest of them. */
    static List<Deployment.Resource> spares(List<Deployment.Resource> resources, int count) {
        List<Deployment.Resource> started = resources.stream().filter(Hosts::isChild).toList();
        if (started.isEmpty()) {
            return List.of();
        }
        Deployment.Resource like = started.get(0);
        long memory = started.stream().mapToLong(Deployment.Resource::memoryBytes).max().getAsLong();
        boolean all = started.stream().anyMatch(each -> each.cores() == 0);
        WorkerThreads threads = like.processors().threads();
        int cores = all ? 0 : started.stream().mapToInt(Deployment.Resource::cores).max().getAsInt();
        return IntStream.rangeClosed(1, count).mapToObj(k -> new Deployment.Resource(SPARE + k, like.start(), like.host(), 0,
                new Deployment.Memory(memory, started.stream().anyMatch(each -> each.memory().isWritten())),
                Deployment.Processors.any(new WorkerThreads(cores, threads.io(), threads.pollMicros(), threads.arePinned())),
                like.user(), like.place())).toList();
    }

    /**
     * Whether all of them run in executors.
     *
     * @param executors null if there are none
     * @throws Refusal they are wanted where there are none, or something else is wanted beside them
     */
    static boolean areExecutors(List<Deployment.Resource> resources, Executors executors) throws Refusal {
        for (Deployment.Resource resource : resources) {
            if (isExecutor(resource) && executors == null) {
                throw new Refusal("deployment", "resource `" + resource.name() + "` is to run in an executor of Spark, and the"
                        + " graph runs without Spark", "run it with --on executors, or from Python with on=spark, a session");
            }
            if (!isExecutor(resource) && executors != null) {
                throw new Refusal("deployment", "resource `" + resource.name() + "` is not to run in an executor of Spark, and"
                        + " the graph runs on executors", "give it \"start\": \"executor\", or leave out the deployment: then"
                        + " each executor is a resource");
            }
        }
        return executors != null && !resources.isEmpty();
    }

    /** Whether its host is known before it joins. */
    private static boolean isKnown(Deployment.Resource resource) {
        return !resource.host().isEmpty();
    }

    static boolean isLoopback(String host) {
        return host.equals("localhost") || host.startsWith("127.") || host.equals("::1");
    }

    /** Whether that is this machine. */
    static boolean isHere(String host) {
        if (isLoopback(host)) {
            return true;
        }
        try {
            InetAddress address = InetAddress.getByName(host);
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (UnknownHostException | SocketException elsewhere) {
            return false;
        }
    }

    private static boolean isAny(String host) {
        return host.equals("0.0.0.0") || host.equals("::");
    }

    /** Whether all resources read the same monotonic clock, so that every sink knows the age of a packet. */
    public static boolean shareAClock(List<Deployment.Resource> resources) {
        return resources.size() == 1 || resources.stream().allMatch(Hosts::isKnown)
                && resources.stream().map(r -> isLoopback(r.host()) ? HERE : r.host()).distinct().count() == 1;
    }

    /**
     * The host at which a child's peers reach it, and the host on which it listens.
     *
     * @param listen the host at which the coordinator listens
     */
    static String ofChild(List<Deployment.Resource> resources, String listen) {
        return shareAClock(resources) || isAny(listen) ? HERE : listen;
    }

    /**
     * Refuses resources that could not join or be reached, by name.
     *
     * @param listen    the host at which resources join
     * @param hasSecret whether there is a secret that they can know
     */
    static void check(List<Deployment.Resource> resources, String listen, boolean hasSecret) throws Refusal {
        for (Deployment.Resource resource : resources) {
            if (isJoining(resource)) {
                checkJoins(resource, listen, hasSecret);
            }
        }
        Deployment.Resource away = resources.stream().filter(r -> isKnown(r) && !isLoopback(r.host())).findFirst().orElse(null);
        if (away == null) {
            return;
        }
        for (Deployment.Resource resource : resources) {
            boolean reached = !isLoopback(resource.host()) || isChild(resource) && !isAny(listen);
            if (!reached) {
                throw new Refusal("deployment", "resource `" + resource.name() + "` at " + resource.host()
                        + " is out of reach of `"
                        + away.name() + "` at " + away.host(), "give --listen one address of this machine, not all of"
                        + " them: children then listen there; or give `" + resource.name() + "` that address as its host and"
                        + " join it");
            }
        }
    }

    private static void checkJoins(Deployment.Resource resource, String listen, boolean hasSecret) throws Refusal {
        if (!hasSecret) {
            throw new Refusal("deployment", "resource `" + resource.name() + "` joins, which needs a secret",
                    "give --secret-file F, here and to `" + command(resource, "THIS_HOST", "F", null) + "`");
        }
        if (isKnown(resource) && !isLoopback(resource.host()) && isLoopback(listen)) {
            throw new Refusal("deployment", "resource `" + resource.name() + "` at " + resource.host() + " cannot reach the"
                    + " coordinator, which listens on " + listen,
                    "give --listen HOST, an address of this machine that it can reach");
        }
    }

    /**
     * The command that starts the resource on its machine.
     *
     * @param secretFile null if the secret is in the environment
     * @param tls        null for plain TCP
     */
    static String command(Deployment.Resource resource, String coordinator, String secretFile, String tls) {
        return "despina resource --name " + resource.name() + " --join " + (isAny(coordinator) ? "THIS_HOST" : coordinator) + ":"
                + resource.controlPort() + (secretFile == null ? "" : " --secret-file " + secretFile)
                + (tls == null ? "" : " --tls " + tls) + " --listen " + hostOf(resource, coordinator)
                + " --memory " + resource.memoryBytes()
                + (resource.cores() == 0 ? "" : " --cores " + resource.cores());
    }

    /** The host on which it must listen; a placeholder if that cannot be known here. */
    private static String hostOf(Deployment.Resource resource, String coordinator) {
        return isKnown(resource) ? resource.host() : isLoopback(coordinator) ? HERE : "ITS_HOST";
    }

    /**
     * Why a resource that joined differs from the deployment's description; null if it fits.
     *
     * @param memoryBytes its actual memory; likewise the cores
     */
    static Refusal misfit(Deployment.Resource resource, long memoryBytes, int cores) {
        if (resource.cores() != 0 && cores != resource.cores()) {
            return new Refusal("cores", "resource `" + resource.name() + "` has joined with cores=" + cores
                    + ", and the deployment says " + resource.cores(), "start it with --cores " + resource.cores()
                    + ", or write what it has");
        }
        if (!resource.memory().isWritten() || memoryBytes == resource.memoryBytes()) {
            return null;
        }
        return new Refusal("memory", "resource `" + resource.name() + "` has joined with memory_bytes=" + memoryBytes
                + ", and the deployment says " + resource.memoryBytes(), "start it with --memory " + resource.memoryBytes()
                + ", or write the memory_bytes that it has");
    }

    /**
     * Why a resource that joined cannot be reached at the deployment's host; null if it may be reachable. A name may stand for
     * any address except this machine's own, and a resource that listens on all addresses also listens there. Without a host in
     * the deployment, peers use the address on which it listens: that must be one address, and not a loopback address if some may
     * be on other machines.
     *
     * @param listen      where it listens
     * @param coordinator where the coordinator does
     */
    static Refusal misplaced(Deployment.Resource resource, String listen, String coordinator) {
        String host = resource.host();
        if (!isKnown(resource)) {
            return !isAny(listen) && (isLoopback(coordinator) || !isLoopback(listen)) ? null
                    : new Refusal("listen", "resource `" + resource.name() + "` listens on " + listen + ", which tells no other"
                    + " machine where it is", "start it with --listen and the address at which others reach it, or write its"
                    + " host in the deployment");
        }
        boolean bothAddresses = isAddress(host) && isAddress(listen);
        boolean wrong = bothAddresses ? !host.equals(listen) : isLoopback(listen) && !isLoopback(host);
        if (isChild(resource) || isAny(listen) || !wrong) {
            return null;
        }
        return new Refusal("listen", "resource `" + resource.name() + "` listens on " + listen
                + ", and the deployment says " + host,
                "start it with --listen " + host);
    }

    private static boolean isAddress(String host) {
        return host.indexOf(':') >= 0 || host.matches("[0-9.]+");
    }

    /** The host by which other machines know one on which this machine listens. */
    static String known(String listen) {
        if (!isAny(listen)) {
            return listen;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            return HERE;
        }
    }

    /** The host at which a child on this machine reaches a port that listens on {@code listen}. */
    static String near(String listen) {
        return isAny(listen) ? HERE : listen;
    }
}
