/** A resource's side of its jobs: deploys, starts, stops and counts what the coordinator says. */
package io.despina.control.resource;
