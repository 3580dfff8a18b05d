/** What a resource is told to host: the tasks of a job, their operators and links. */
package io.despina.runtime.deployment;
