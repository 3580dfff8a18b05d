package io.despina.control.process;

import io.despina.control.protocol.Credentials;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.resource.PythonPolicy;
import io.despina.control.resource.ResourceAgent;
import io.despina.control.resource.ResourceSession;
import io.despina.expr.Expressions;
import io.despina.operator.Reason;
import io.despina.placement.Deployment;
import io.despina.placement.WorkerThreads;
import io.despina.python.Interpreter;
import io.despina.runtime.worker.WorkerOptions;
import io.despina.wire.ControlConnection;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A resource in a JVM of its own: {@code --name NAME --join HOST:PORT[,HOST:PORT] [--secret-file F] [--tls FOLDER]
 * [--listen HOST] [--memory BYTES] [--cores N] [--quiet true] [--keep true]}, or as a child of the coordinator, with the secret
 * on standard input; the end of that input ends it. Ends with its coordinator: when told to, or when it is lost, unless its jobs
 * go on for another.
 *
 * <p>Exit codes: 0 told to end, 2 wrong arguments, 3 cannot start or refused by the coordinator, 4 the coordinator was lost.
 */
public final class ResourceMain implements ResourceSession.Observer {
    /** If true, resources of a deployment are threads of this JVM, so that the class archive contains their classes. */
    public static final String AS_THREADS = "despina.resources_as_threads";
    static final int WRONG_ARGUMENTS = 2;
    static final int CANNOT_START = 3;
    static final int COORDINATOR_LOST = 4;

    private static final Set<String> NAMES = Set.of("--name", "--join", "--secret-file", "--tls", "--listen", "--memory",
            "--cores", "--io-threads", "--poll-us", "--pin", "--token", "--expressions", "--practise", "--quiet", "--keep",
            "--python", "--modules", "--allow-python", ProcessorClaims.CPUS, ProcessorClaims.SHARE);
    /** How long closing files may take before the process ends anyway. */
    private static final long END_MILLIS = 2_000;
    /** How often a kept resource reports that it waits for a coordinator. */
    private static final int TELL_SECONDS = 5;
    /** From try to try to find one; as long as one that was lost may be replaced, that is what its jobs wait for. */
    private static final long SOON_MILLIS = 100;
    /** The same after {@link #REPLACED_SECONDS}. */
    private static final long LATER_MILLIS = 1_000;
    private static final int REPLACED_SECONDS = 30;

    /** Written by the thread that serves, before the connection exists; null before. Read by any. */
    private volatile ResourceSession session;
    // written once, before the session
    private String name;
    private boolean spoken;
    private boolean child;
    /** Written by the thread that serves, read by that of a connection: whether jobs wait for another coordinator. */
    private volatile boolean orphaned;

    private ResourceMain() {
    }

    /** The arguments of a child. */
    public static List<String> arguments(Deployment.Resource spec, String join, String token, boolean expressions) {
        List<String> arguments = new ArrayList<>(List.of("--name", spec.name(), "--join", join, "--token", token,
                "--memory", Long.toString(spec.memoryBytes())));
        if (spec.cores() > 0) {
            arguments.addAll(List.of("--cores", Integer.toString(spec.cores())));
        }
        WorkerThreads threads = spec.processors().threads();
        if (threads.io() > 0) {
            arguments.addAll(List.of("--io-threads", Integer.toString(threads.io())));
        }
        if (threads.pollMicros() > 0) {
            arguments.addAll(List.of("--poll-us", Integer.toString(threads.pollMicros())));
        }
        if (threads.arePinned()) {
            arguments.addAll(List.of("--pin", "cores"));
        }
        if (expressions) {
            arguments.addAll(List.of("--expressions", "true"));
        }
        return arguments;
    }

    public static void main(String[] arguments) {
        LogFormat.set();
        int code;
        try {
            Map<String, String> options = parse(arguments);
            code = options.containsKey("--keep") ? keep(options) : new ResourceMain().run(options);
        } catch (Refusal e) {
            tell(e);
            code = e.rule().equals("options") ? WRONG_ARGUMENTS : CANNOT_START;
        }
        // do not wait for busy threads: files are closed, and a parent waits for us
        Runtime.getRuntime().exit(code);
    }

    private static void tell(Refusal e) {
        System.err.println("despina: error[" + e.rule() + "]: " + Reason.visible(e.getMessage())
                + (e.hint() == null ? "" : "\n  hint: " + e.hint()));
    }

    private static Map<String, String> parse(String[] arguments) throws Refusal {
        Map<String, String> options = new HashMap<>();
        for (int k = 0; k + 1 < arguments.length; k += 2) {
            options.put(arguments[k], arguments[k + 1]);
        }
        if (arguments.length % 2 != 0 || !NAMES.containsAll(options.keySet()) || !options.containsKey("--name")
                || !options.getOrDefault("--join", "").matches("[^,]+:\\d+(,[^,]+:\\d+)*")) {
            throw new Refusal("options", "wrong arguments: " + String.join(" ", arguments),
                    "--name NAME --join HOST:PORT [--secret-file F] [--tls FOLDER] [--listen HOST] [--memory BYTES] [--cores N]");
        }
        return options;
    }

    /** Serves one coordinator after the other, until a signal ends the process. */
    private static int keep(Map<String, String> options) throws Refusal {
        String secret = secret(options);
        try {
            while (true) {
                int code = new ResourceMain().serve(options, secret);
                TimeUnit.MILLISECONDS.sleep(code == CANNOT_START ? TimeUnit.SECONDS.toMillis(TELL_SECONDS) : SOON_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    private static String secret(Map<String, String> options) throws Refusal {
        String secret = Credentials.secret(options.get("--secret-file"));
        if (secret == null) {
            throw new Refusal("secret", "a resource that joins needs the secret",
                    "--secret-file F, or DESPINA_SECRET in the environment");
        }
        return secret;
    }

    private int run(Map<String, String> options) throws Refusal {
        if (!options.containsKey("--token")) {
            return serve(options, secret(options));
        }
        String secret = readLine();
        Thread watch = new Thread(this::endWithStandardInput, "despina-parent");
        watch.setDaemon(true);
        watch.start();
        return serve(options, secret);
    }

    /** Starts a resource on a thread of this JVM, for a coordinator in the same JVM. Returns null, because it is no process. */
    public static Child startThread(Deployment.Resource resource, List<String> arguments, String secret) {
        Thread thread = new Thread(() -> {
            try {
                new ResourceMain().serve(parse(arguments.toArray(String[]::new)), secret);
            } catch (Refusal e) {
                System.err.println("despina: error[" + e.rule() + "]: " + e.getMessage());
            }
        }, "despina-resource-" + resource.name());
        thread.setDaemon(true);
        thread.start();
        return null;
    }

    private int serve(Map<String, String> options, String secret) throws Refusal {
        ChildProcess.keepAnswers();
        if (options.containsKey("--expressions")) {
            Expressions.warmUp(this::isDeployed);
        }
        name = options.get("--name");
        child = options.containsKey("--token");
        spoken = !child && !options.containsKey("--quiet");
        String listen = options.getOrDefault("--listen", "127.0.0.1");
        ResourceAgent.Entry entry = new ResourceAgent.Entry(options.getOrDefault("--token", ""), secret);
        ResourceAgent agent = ResourceAgent.withWire(size(options), entry, listen, Credentials.tls(options.get("--tls")),
                python(options));
        if (options.containsKey("--practise")) {
            agent.practise();
        }
        Message.Hello hello = new Message.Hello(name, entry.token(), ProcessHandle.current().pid(), Message.Hello.VERSION, listen,
                agent.dataPort(), agent.size().memoryBytes(), agent.size().cores());
        ResourceSession.End end;
        try {
            end = serve(agent, hello, () -> options.containsKey("--keep") ? await(agent, options.get("--join"))
                    : connect(agent, options.get("--join")));
            ResourceSession.End last = end;
            while (last != ResourceSession.End.TOLD && agent.outlives()) {
                orphaned = true;
                last = again(agent, hello, options.get("--join"), last);
                orphaned = false;
            }
            // one that is about to die may refuse whom it has lost
            end = last == ResourceSession.End.TOLD ? last : end;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        } finally {
            agent.close(END_MILLIS);
        }
        return switch (end) {
            case TOLD -> 0;
            case REFUSED -> CANNOT_START;
            case LOST -> COORDINATOR_LOST;
        };
    }

    /** Connects to a coordinator. */
    private interface Connecting {
        ControlConnection connect() throws Refusal, InterruptedException;
    }

    /** A session with a coordinator, to its end. */
    private ResourceSession.End serve(ResourceAgent agent, Message.Hello hello, Connecting to)
            throws Refusal, InterruptedException {
        ResourceSession begun = new ResourceSession(agent, System::nanoTime, this);
        session = begun;
        try (ControlConnection connection = to.connect()) {
            begun.begin(connection, hello);
            return begun.serve();
        }
    }

    /** The jobs here go on for a while: looks for a coordinator that takes them over. @return how that ended */
    private ResourceSession.End again(ResourceAgent agent, Message.Hello hello, String join, ResourceSession.End before)
            throws InterruptedException {
        if (before == ResourceSession.End.REFUSED) {
            TimeUnit.MILLISECONDS.sleep(SOON_MILLIS);
        }
        while (agent.hasOrphans()) {
            try {
                return serve(agent, hello, () -> connect(agent, join));
            } catch (Refusal nobody) {
                TimeUnit.MILLISECONDS.sleep(SOON_MILLIS);
            }
        }
        return before;
    }

    /** Of a child, what its coordinator names; else what whoever started it allows. */
    private static PythonPolicy python(Map<String, String> options) {
        if (options.containsKey("--token")) {
            return PythonPolicy.AS_ASKED;
        }
        Interpreter own = options.containsKey("--python")
                ? Interpreter.of(options.get("--python"), listed(options.get("--modules"))) : null;
        return PythonPolicy.own(own, listed(options.get("--allow-python")));
    }

    private static List<String> listed(String joined) {
        return joined == null || joined.isEmpty() ? List.of() : List.of(joined.split(File.pathSeparator));
    }

    private boolean isDeployed() {
        ResourceSession begun = session;
        return begun != null && begun.isDeployed();
    }

    private ControlConnection await(ResourceAgent agent, String join) throws InterruptedException {
        long began = System.nanoTime();
        long told = -1;
        while (true) {
            try {
                return connect(agent, join);
            } catch (Refusal none) {
                long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
                if (told < 0 || seconds - told >= TELL_SECONDS) {
                    says("waits for a coordinator: " + none.getMessage());
                    told = seconds;
                }
                TimeUnit.MILLISECONDS.sleep(seconds < REPLACED_SECONDS ? SOON_MILLIS : LATER_MILLIS);
            }
        }
    }

    /** To the first of the addresses at which there is one. */
    private ControlConnection connect(ResourceAgent agent, String join) throws Refusal, InterruptedException {
        return new Dialing(agent::connect, orphaned ? Dialing.HURRIED_MILLIS : Dialing.EACH_MILLIS).first(join, session);
    }

    private static ResourceAgent.Size size(Map<String, String> options) throws Refusal {
        ResourceAgent.Size usual = ResourceAgent.Size.usual(options.get("--name"));
        WorkerOptions threads = new WorkerOptions((int) number(options, "--cores", 1, usual.cores()),
                (int) number(options, "--io-threads", 0, 0), TimeUnit.MICROSECONDS.toNanos(number(options, "--poll-us", 0, 0)),
                options.containsKey("--pin") ? Affinity.ofThisMachine().pinning(usual.name()) : usual.threads().begun());
        return new ResourceAgent.Size(usual.name(), threads, number(options, "--memory", 1, usual.memoryBytes()));
    }

    private static long number(Map<String, String> options, String name, long least, long otherwise) throws Refusal {
        String text = options.getOrDefault(name, Long.toString(otherwise));
        if (!text.matches("\\d{1,18}") || Long.parseLong(text) < least) {
            throw new Refusal("options", name + " " + text + " is not a number, or too small", null);
        }
        return Long.parseLong(text);
    }

    /** Prints for the user who started it; a coordinator reports for its children. */
    @Override
    public void says(String words) {
        if (spoken) {
            System.err.println("despina: " + name + " " + Reason.visible(words));
        }
    }

    @Override
    public void refused(Refusal why) {
        if (!orphaned) {        // else it asks again and again
            tell(why);
        }
    }

    /** A child that has no job yet is silent: its coordinator ends, and says why, while the child starts. */
    @Override
    public void lost(String why) {
        if (why != null && (!child || isDeployed())) {
            System.err.println("despina: " + Reason.visible(why));
        }
    }

    private void endWithStandardInput() {
        try {
            while (System.in.read() >= 0) {
                // the parent writes nothing more; the read returns when the parent ends
            }
        } catch (IOException closed) {
            // equals the end of input
        }
        ResourceSession begun = session;
        if (begun != null) {
            begun.lose(null);
        }
        try {
            TimeUnit.MILLISECONDS.sleep(END_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // a start or an end that hangs must not outlive the parent
        Runtime.getRuntime().halt(COORDINATOR_LOST);
    }

    private static String readLine() throws Refusal {
        try {
            StringBuilder line = new StringBuilder();
            for (int c = System.in.read(); c >= 0 && c != '\n'; c = System.in.read()) {
                line.append((char) c);
            }
            if (line.isEmpty()) {
                throw new Refusal("secret", "no secret on standard input", null);
            }
            return new String(line.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8).trim();
        } catch (IOException e) {
            throw new Refusal("secret", "cannot read standard input: " + e.getMessage(), null);
        }
    }
}
