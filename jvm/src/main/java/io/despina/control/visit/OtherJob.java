package io.despina.control.visit;

import io.despina.connect.LostException;
import io.despina.connect.ServerOutage;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.operator.HintedException;
import io.despina.operator.OperatorContext;
import io.despina.operator.program.JobPlace;
import io.despina.wire.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * How an operator finds another job: by its job file, or by a service that runs it. Either is asked anew each time, because the
 * job may have begun again elsewhere. One thread.
 */
final class OtherJob {
    /** Of refusals that no other try changes; others say that the job is not there, or not any more. */
    private static final Set<String> FOR_GOOD = Set.of("operator", "secret_file", "tls", "token_file", "token");

    private final JobPlace place;
    private final ServerOutage outage;
    /** For messages. */
    private String job;

    OtherJob(JobPlace place, OperatorContext context) {
        this.place = place;
        job = place.job();
        outage = new ServerOutage(context.operatorId(), place.service() == null ? "the job of " + job
                : "the job " + job + " of " + place.service().url(), context::warn);
    }

    /** Its id, once it was found; before, its file or name. */
    String job() {
        return job;
    }

    /**
     * Where it is now.
     *
     * @throws LostException   the job is not there
     * @throws HintedException it never will be as the graph says
     */
    JobAddress address() throws IOException, InterruptedException {
        try {
            JobAddress found = place.service() == null ? JobAddress.parse(Files.readString(Path.of(place.job())))
                    : served(place.service());
            job = found.job();
            return found.with(place.secretFile(), place.tls());
        } catch (NoSuchFileException missing) {
            throw new LostException("there is no job file " + place.job() + " yet; waiting for it", missing);
        } catch (Refusal why) {
            throw told(why);
        }
    }

    /** What a service says, which names no file of this machine. */
    private JobAddress served(JobPlace.JobService by) throws Refusal, InterruptedException {
        JobAddress found = ServiceJob.of(by.url(), place.job(), by.tokenFile()).now();
        return new JobAddress(found.host(), found.port(), found.job(), found.secret(), null, null);
    }

    /** @throws IOException as of {@link #address} */
    Wire wire(JobAddress address) throws IOException {
        try {
            return RequestWire.open(address.job(), address.known(), address.tls());
        } catch (Refusal why) {
            throw told(why);
        }
    }

    /** What the job's coordinator says, which waits until the job runs. */
    interface Question {
        ProgramMessage.Located ask() throws Refusal, InterruptedException;
    }

    /** @throws IOException as of {@link #address} */
    ProgramMessage.Located locate(Question question) throws IOException, InterruptedException {
        try {
            return question.ask();
        } catch (Refusal why) {
            throw told(why);
        }
    }

    static IOException told(Refusal why) {
        return FOR_GOOD.contains(why.rule()) ? new HintedException(why.getMessage(), why.hint(), why)
                : new LostException(why.getMessage(), why);
    }

    /** It is lost, or was not there. Tells the user once, and waits a moment before another try. */
    void lost(IOException why) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(outage.goesOn(why.getMessage()));
    }

    /** It has answered, and something has moved. */
    void moved() {
        outage.ends();
    }
}
