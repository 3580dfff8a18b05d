package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.folder.FolderCommands;
import io.despina.control.members.Environment;
import io.despina.control.members.Executors;
import io.despina.control.members.LocalMember;
import io.despina.control.members.Member;
import io.despina.control.members.Members;
import io.despina.control.members.Starter;
import io.despina.control.process.ChildProcess;
import io.despina.control.process.ResourceMain;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.control.visit.JobAddress;
import io.despina.expr.Expressions;
import io.despina.json.Json;
import io.despina.spec.ControlAnswer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** Runs all jobs of a session: checks, plans, places, deploys, reports and stops them, and cleans up. Thread-safe. */
public final class Coordinator implements AutoCloseable, Member.Callback {
    private static final long STOP_MILLIS = 5_000;
    /** How long a resource may take to report its counters. */
    private static final long COUNT_MILLIS = 1_000;

    private final Environment environment;
    private final Members members;
    private final Jobs jobs = new Jobs();
    private final Launcher launcher;
    private final Doors doors;
    private final Savepoints savepoints;
    /** Guarded by this; null until the first job without a deployment. */
    private LocalMember local;

    public Coordinator() {
        this(Boolean.getBoolean(ResourceMain.AS_THREADS) ? ResourceMain::startThread : ChildProcess::new, Members.Patience.USUAL);
    }

    /** @param starter starts the resources of a deployment on this machine */
    public Coordinator(Starter starter, Members.Patience patience) {
        this(new Members.Starters(starter, null), patience, Environment.ofProcess());
    }

    /** Of the driver of a Spark application. */
    public static Coordinator on(Executors executors) {
        return new Coordinator(new Members.Starters(null, executors), Members.Patience.USUAL, Environment.ofProcess());
    }

    public Coordinator(Members.Starters starters, Members.Patience patience, Environment environment) {
        ChildProcess.keepAnswers();
        this.environment = environment;
        members = new Members(this, environment, starters, patience);
        launcher = new Launcher(members, jobs, this::local, environment);
        savepoints = new Savepoints(environment);
        doors = new Doors(jobs, environment, savepoints, this::present);
    }

    /** {@code {"despina", "java", "pid"}}. */
    public ObjectNode version() {
        return Json.object().put("despina", Message.Hello.VERSION).put("java", Runtime.version().toString())
                .put("pid", ProcessHandle.current().pid());
    }

    /** See {@code Gateway.check}. */
    public ObjectNode check(String graphText, String fileName, String optionsJson) throws Refusal {
        return GraphCheck.of(graphText, fileName, JobOptions.parse(optionsJson, environment.wall()));
    }

    /** See {@code Gateway.dryRun}. */
    public ObjectNode dryRun(String graphText, String fileName, String optionsJson, String wishJson) throws Refusal {
        return GraphCheck.dryRun(graphText, fileName, JobOptions.parse(optionsJson, environment.wall()), wishJson);
    }

    /** See {@code Gateway.state}. */
    public ObjectNode state(String command, String folder, String optionsJson) throws Refusal {
        return FolderCommands.run(command, folder, optionsJson, environment.clock(), environment.wall());
    }

    /** See {@code Gateway.warmUp}. */
    public void warmUp() {
        Expressions.warmUpForEdits();
    }

    /** See {@code Gateway.keepReady}. */
    public void keepReady(int count) {
        members.keepReady(count);
    }

    /** See {@code Gateway.format}. */
    public ObjectNode format(String graphText, String fileName) {
        return GraphCheck.format(graphText, fileName);
    }

    /** See {@code Gateway.starting}. */
    public ObjectNode starting() {
        String awaited = members.waitingFor();
        return Json.object().put("phase", !awaited.isEmpty() ? awaited : launcher.phase());
    }

    /** See {@code Gateway.run}. */
    public ObjectNode run(String graphText, String fileName, String optionsJson) throws Refusal {
        return launcher.first(new Submission(graphText, fileName, JobOptions.parse(optionsJson, environment.wall())));
    }

    /**
     * Starts an ended job again from its beginning, as its next attempt: the same graph and options under the same id. Present
     * resources serve it again; lost children are restarted, and resources that join are awaited. Answers as {@link #run}, with
     * the number of the {@code attempt}.
     */
    public ObjectNode startAgain(String job) throws Refusal {
        return launcher.again(jobs.get(job));
    }

    /** Which jobs go on by themselves after a failure; none before. */
    public void restarts(Predicate<Submission> which) {
        launcher.restarts(which);
    }

    private synchronized LocalMember local() {
        if (local == null) {
            local = new LocalMember(this);
        }
        return local;
    }

    private synchronized LocalMember present() {
        return local;
    }

    /** Where programs of other processes reach a job, from this call on. */
    public JobAddress address(String job) throws Refusal {
        return doors.open(jobs.get(job));
    }

    /** As {@link #run(String, String, String)}. */
    public ObjectNode run(Submission submission) throws Refusal {
        return launcher.first(submission);
    }

    /** Null if it has not failed. */
    public Refusal failure(String job) throws Refusal {
        return jobs.get(job).status().error();
    }

    /** See {@code Gateway.status}. */
    public ObjectNode status(String job) throws Refusal {
        return new Report(counted(jobs.get(job))).status();
    }

    /** The job with current counters; a resource that does not answer keeps its last ones. */
    private static Job counted(Job job) {
        await(job.attempt().count(), COUNT_MILLIS);
        return job;
    }

    /** Waits until it completes, at most that long. */
    private static void await(CompletableFuture<?> future, long millis) {
        try {
            future.get(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new AssertionError("neither of a job's futures fails", e);
        } catch (TimeoutException e) {
            return;
        }
    }

    /** Whether it is done, failed, stopped or incomplete. */
    public boolean hasEnded(String job) throws Refusal {
        return jobs.get(job).ended().isDone();
    }

    /** Completes when it is done, failed, stopped or incomplete. */
    public CompletableFuture<Void> ended(String job) throws Refusal {
        return jobs.get(job).ended();
    }

    /** See {@code Gateway.await}. */
    public ObjectNode await(String job, long millis) throws Refusal {
        Job awaited = jobs.get(job);
        await(awaited.ended(), millis);
        return new Report(awaited).status();
    }

    /** See {@code Gateway.stop}. */
    public ObjectNode stop(String job, String mode) throws Refusal {
        Job stopped = jobs.get(job);
        stopped.stop(Savepoints.mode(stopped, mode.isEmpty() ? Savepoints.USUAL : mode));
        return new Report(stopped).status();
    }

    /**
     * See {@code Gateway.savepoint}.
     *
     * @param stop as of {@link ProgramMessage.Direct}
     */
    public ObjectNode savepoint(String job, String folder, String stop) throws Refusal {
        savepoints.begin(jobs.get(job), folder, stop);
        return Json.object();
    }

    /** See {@code Gateway.awaitSavepoint}. */
    public ObjectNode awaitSavepoint(String job, long millis) throws Refusal {
        return Savepoints.await(jobs.get(job), millis);
    }

    /** See {@code Gateway.report}. */
    public ObjectNode report(String job) throws Refusal {
        return new Report(counted(jobs.get(job))).report();
    }

    /** See {@code Gateway.awaitRows}. */
    public ObjectNode awaitRows(String job, String sink, long millis) throws Refusal, InterruptedException {
        sinkOf(job, sink).await(millis);
        return new Report(jobs.get(job)).status();
    }

    /** See {@code Gateway.collected}. */
    public byte[] collected(String job, String sink) throws Refusal {
        return sinkOf(job, sink).take();
    }

    /** See {@code Gateway.done}. */
    public ObjectNode done(String job, String sink, long rows, String how) throws Refusal {
        sinkOf(job, sink).done(rows, RowPlaces.RowTaker.valueOf(how.toUpperCase(Locale.ROOT)));
        return Json.object();
    }

    /** See {@code Gateway.place}. */
    public ObjectNode place(String job, String sink, long rows) throws Refusal {
        CollectBuffer of = sinkOf(job, sink);
        return Json.object().put("place", SinkPlace.of(jobs.get(job), sink, of).text(of.place(rows)));
    }

    /** See {@code Gateway.begin}. */
    public ObjectNode begin(String job, String sink, String place) throws Refusal {
        CollectBuffer of = sinkOf(job, sink);
        of.begin(SinkPlace.of(jobs.get(job), sink, of).numbers(place));
        return Json.object();
    }

    private CollectBuffer sinkOf(String job, String sink) throws Refusal {
        CollectBuffer collected = jobs.get(job).exchange().collected().get(sink);
        if (collected == null) {
            throw new Refusal("sink", "no collect_sink `" + sink + "` in job " + job, null);
        }
        return collected;
    }

    /** See {@code Gateway.feed}. */
    public ObjectNode feed(String job, String operator, byte[] stream, long millis) throws Refusal, InterruptedException {
        Feed.Status standing = feed(job, operator).feed(stream, millis);
        return Json.object().put("room", standing.room()).put("open", standing.open() && !jobs.get(job).ended().isDone());
    }

    /** See {@code Gateway.fed}. */
    public ObjectNode fed(String job, String operator, boolean follow, long millis) throws Refusal, InterruptedException {
        boolean isLogged = jobs.get(job).course().submission().options().recovery().isLogged();
        long rows = feed(job, operator).taken(follow, isLogged ? millis : 0);
        return Json.object().put("rows", isLogged ? rows : Math.max(0, rows));
    }

    /** See {@code Gateway.endFeed}. */
    public ObjectNode endFeed(String job, String operator, String failure) throws Refusal {
        StagedInput committed = jobs.get(job).exchange().epochs(operator);
        if (failure.isEmpty() && committed != null) {
            committed.end();
        } else if (failure.isEmpty()) {
            feed(job, operator).end();
        } else {
            jobs.get(job).attempt().fail(new Refusal("input", "the rows for operator " + operator + ": " + failure, null));
        }
        return Json.object();
    }

    private Feed feed(String job, String operator) throws Refusal {
        Feed feed = jobs.get(job).exchange().feed(operator);
        if (feed == null) {
            throw new Refusal("input", "job " + job + " takes no rows for operator `" + operator + "`", null);
        }
        return feed;
    }

    /** See {@code Gateway.console}. */
    public ObjectNode console(String job) throws Refusal {
        return jobs.get(job).exchange().takeTold();
    }

    /** See {@code Gateway.control}. */
    public ObjectNode control(String job, String command, String operator, String argument) throws Refusal {
        return Controls.await(tell(job, command, operator, argument));
    }

    /** The same, without waiting. */
    public CompletableFuture<List<ControlAnswer>> tell(String job, String command, String operator, String argument)
            throws Refusal {
        return jobs.get(job).attempt().control(new Controls.Wanted(command, operator, argument));
    }

    @Override
    public void received(Member from, Message message) {
        if (message instanceof Message.OfJob ofJob) {
            Job job = jobs.find(ofJob.attempt().job());
            if (job != null) {
                job.attempt().received(from, ofJob);
            }
        }
    }

    @Override
    public void lost(Member member, Refusal why) {
        jobs.all().forEach(job -> job.lost(member, why));
    }

    @Override
    public void explained(Member member, Refusal before, Refusal better) {
        jobs.all().forEach(job -> job.explained(member, before, better));
    }

    /** Stops every job at once, and ends every process and thread that was started for them. */
    @Override
    public void close() {
        close(null);
    }

    /**
     * As {@link #close()}.
     *
     * @param lost what happened to the program that directed it; null for an intended end
     */
    public void close(String lost) {
        List<Job> ending = jobs.all().stream().filter(job -> lost == null || !job.course().submission().outlives()).toList();
        ending.forEach(job -> job.stop("now"));
        Jobs.awaitEnd(ending, STOP_MILLIS, environment.clock());
        members.close(lost);
        doors.close();
        synchronized (this) {
            if (local != null) {
                local.close();
                local = null;
            }
        }
        environment.timer().shutdownNow();
    }
}
