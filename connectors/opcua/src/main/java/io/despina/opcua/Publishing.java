package io.despina.opcua;

import io.despina.connect.ConnectorSettings;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.serialization.UaResponseMessage;
import org.eclipse.milo.opcua.stack.core.types.structured.PublishRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.PublishResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.SubscriptionAcknowledgement;

/**
 * Has a few requests wait at the server, each of which brings one message. So no more can come than was asked for: who asks no
 * more makes the server keep what changes.
 */
final class Publishing {
    private static final int AT_ONCE = 3;

    private final Link link;
    private final ConnectorSettings settings;
    private final long patience;
    /** What has come: answers, or why there is none. No more than were asked for. */
    private final BlockingQueue<Object> answers = new LinkedBlockingQueue<>();
    private int most = AT_ONCE;
    private int waiting;

    /** @param patience how long the server may be silent, in milliseconds */
    Publishing(Link link, ConnectorSettings settings, long patience) {
        this.link = link;
        this.settings = settings;
        this.patience = Math.min(patience, Integer.MAX_VALUE / AT_ONCE);        // servers may say anything
    }

    /** Asks for as many messages as may be on their way. @param seen what the server need not keep any more */
    void ask(Supplier<SubscriptionAcknowledgement[]> seen) {
        while (waiting < most) {
            waiting++;
            SubscriptionAcknowledgement[] acknowledged = seen.get();
            link.send(header -> new PublishRequest(header, acknowledged), AT_ONCE * patience)
                    .whenComplete((UaResponseMessage answer, Throwable why) -> answers.add(answer == null ? why : answer));
        }
    }

    /**
     * The next answer; null if there is none yet.
     *
     * @throws FaultException if the server has no subscription of this session
     * @throws IOException    if the connection has ended
     */
    PublishResponse take(long millis) throws IOException, InterruptedException {
        Object answer = answers.poll(millis, TimeUnit.MILLISECONDS);
        if (answer == null) {
            if (link.isBroken()) {
                throw Words.lost(settings, null, null);
            }
            return null;
        }
        waiting--;
        if (answer instanceof PublishResponse response) {
            return response;
        }
        IOException why = Words.unanswered(settings, (Throwable) answer);
        if (why instanceof FaultException fault && fault.code() == StatusCodes.Bad_TooManyPublishRequests && most > 1) {
            most--;
            return null;
        }
        throw why;
    }
}
